package web

import (
	"fmt"
	"html/template"
	"net/http"
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
	Code  template.HTML // an SVG
	State study.State
}

// shareView returns the link of a study, on the host with which the owner reached the server.
func (p *Pages) shareView(r *http.Request, s study.Study) shareView {
	scheme := "http"
	if p.Secure || r.TLS != nil {
		scheme = secureScheme
	}
	link := (&url.URL{Scheme: scheme, Host: r.Host, Path: p.Base + respondentsPath + s.ID}).String()
	return shareView{p.wordsOf(r), link, drawCode(link), s.State}
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
}

// registerShare registers the page with the link of a study.
func (p *Pages) registerShare() {
	p.mux.HandleFunc("GET "+studiesPath+"{study}/share", p.signedIn(access.Viewer, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		s, err := p.studyOf(r)
		if err != nil {
			p.missing(w, r, who, err)
			return
		}
		p.show(w, http.StatusOK, "share", "layout", posterView{p.ownerView(r, who), s, p.shareView(r, s)})
	}))
}
