package admin

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"rsc.io/qr"

	"bestpick/internal/access"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A shareView is the link of a study for respondents, with a QR code. It is the data of the
// template "share".
type shareView struct {
	statement.Words

	Link  string
	Local bool          // the link only works on this computer
	Code  template.HTML // an SVG
	Study study.Study
}

// Subject returns the subject of an invitation: the question.
func (v shareView) Subject() string {
	if v.Study.Prompt != "" {
		return v.Study.Prompt
	}
	return v.Must("title")
}

// Invitation returns the text of an e-mail to respondents.
func (v shareView) Invitation() string {
	thanks := v.Must("share.mail-thanks")
	if minutes := page.Minutes(v.Study.Settings.PerRespondent); minutes > 0 {
		thanks = v.Must("share.mail-time", "minutes", minutes) + " " + thanks
	}
	return v.Must("share.mail-text", "question", v.Subject(), "link", v.Link) + "\n\n" + thanks
}

// Mail returns an address that opens the invitation in an e-mail program.
func (v shareView) Mail() template.URL {
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	return template.URL("mailto:?subject=" + escape(v.Subject()) + "&body=" + escape(v.Invitation()))
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
	return template.HTML(fmt.Sprintf(`<svg class="code" aria-hidden="true" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges">`+
		`<path class="code-paper" d="M0 0h%[1]dv%[1]dH0z"/><path class="code-ink" d="%[2]s"/></svg>`, size, path.String()))
}

// A posterView is a page with the link, to be printed.
type posterView struct {
	page.OwnerView

	Study     study.Study
	Share     shareView
	New       bool   // the study was just opened
	Did       string // the message key of the last action
	Public    string // the public link to the results; empty without one
	PublicKey fmt.Stringer
}

// Embed returns the code that shows the questions of the study in another website.
func (v posterView) Embed() string {
	server, _, _ := strings.Cut(v.Share.Link, page.RespondentsPath)
	return fmt.Sprintf("<script type=\"module\" src=\"/js/question.js\"></script>\n"+
		"<bestpick-question server=%q study=%q></bestpick-question>", server, v.Study.ID)
}

// Export returns the address of an export.
func (v posterView) Export(what, format string) string {
	return page.StudyAddress(v.Study.ID, "/export/"+what, "format", format)
}

// Address returns the address of a path below the study's page.
func (v posterView) Address(path string) string { return page.StudyAddress(v.Study.ID, path) }

// share shows the page with the link of a study.
func (p *Pages) share(w http.ResponseWriter, r *http.Request, who access.Token) error {
	s, err := p.StudyOf(r)
	if err != nil {
		return err
	}
	link, local := p.PublicAddress(r)
	results := link
	link.Path += page.RespondentsPath + s.ID
	share := shareView{p.WordsOf(r), link.String(), local, drawCode(link.String()), s}
	view := posterView{OwnerView: p.OwnerView(r, who), Study: s, Share: share, PublicKey: p.PublicKey}
	switch did := r.FormValue("did"); did {
	case string(study.Open):
		view.New = true
	case "publish", "unpublish":
		view.Did = "did." + did
	}
	if s.Public != "" {
		results.Path = strings.TrimSuffix(results.Path, "/") + page.ResultsPath + url.PathEscape(s.ID) + "/" + s.Public
		view.Public = results.String()
	}
	return p.Show(w, http.StatusOK, "share", page.Whole, view)
}
