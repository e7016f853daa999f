package web

import (
	"fmt"
	"html/template"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"rsc.io/qr"

	"bestpick/internal/access"
	"bestpick/internal/study"
)

// A shareView is the link of a study for respondents, with a QR code. It is the data of the
// template "share".
type shareView struct {
	words

	Link  string
	Local bool          // the link only works on this computer
	Code  template.HTML // an SVG
	Study study.Study
}

// shareView returns the link of a study.
func (p *Pages) shareView(r *http.Request, s study.Study) shareView {
	link := p.base(r)
	local := isLocal(link.Hostname())
	link.Path += respondentsPath + s.ID
	return shareView{p.wordsOf(r), link.String(), local, drawCode(link.String()), s}
}

// base returns the address under which people reach the server: the configured one, or the one with which the owner
// reached it.
func (p *Pages) base(r *http.Request) url.URL {
	if p.PublicURL != nil {
		public := *p.PublicURL
		public.Path = p.Base
		return public
	}
	scheme := "http"
	if p.Secure || r.TLS != nil {
		scheme = secureScheme
	}
	return url.URL{Scheme: scheme, Host: r.Host, Path: p.Base}
}

// isLocal reports whether a host is the computer itself.
func isLocal(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && address.IsLoopback()
}

// Subject returns the subject of an invitation: the question.
func (v shareView) Subject() string {
	if v.Study.Prompt != "" {
		return v.Study.Prompt
	}
	return v.must("title")
}

// Invitation returns the text of an e-mail to respondents.
func (v shareView) Invitation() string {
	thanks := v.must("share.mail-thanks")
	if minutes := minutesOf(v.Study.Settings.Each); minutes > 0 {
		thanks = v.must("share.mail-time", "minutes", minutes) + " " + thanks
	}
	return v.must("share.mail-text", "question", v.Subject(), "link", v.Link) + "\n\n" + thanks
}

// Mail returns an address that opens the invitation in an e-mail program.
func (v shareView) Mail() template.URL {
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	return template.URL("mailto:?subject=" + escape(v.Subject()) + "&body=" + escape(v.Invitation()))
}

// minutesOf returns about how many minutes some questions take, at ten seconds each. It returns 0 if their number is
// not limited.
func minutesOf(questions int) int {
	const perMinute = 6
	return (questions + perMinute - 1) / perMinute
}

// drawCode draws a text as a QR code with its margin. It returns an empty text if the input is too
// long.
func drawCode(text string) template.HTML {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return ""
	}
	const margin = 4
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+margin, y+margin, x-from, x-from)
			}
		}
	}
	size := code.Size + 2*margin
	return template.HTML(fmt.Sprintf(`<svg class="code" aria-hidden="true" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path class="code-paper" d="M0 0h%dv%dH0z"/><path class="code-ink" d="%s"/></svg>`, size, size, size, size, path.String()))
}

// A posterView is a page with the link, to be printed.
type posterView struct {
	ownerView

	Study study.Study
	Share shareView
	New   bool // the study was just opened
}

// registerShare registers the page with the link of a study.
func (p *Pages) registerShare() {
	p.mux.HandleFunc("GET "+studiesPath+"{study}/share", p.signedIn(access.Viewer, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		s, err := p.studyOf(r)
		if err != nil {
			p.missing(w, r, who, err)
			return
		}
		p.show(w, http.StatusOK, "share", "layout", posterView{p.ownerView(r, who), s, p.shareView(r, s), r.FormValue("did") == openDeed})
	}))
}
