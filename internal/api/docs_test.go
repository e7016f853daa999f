package api_test

import (
	"encoding/xml"
	"errors"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestDocs: everyone may read the documentation, and any token is ignored. The page lists every operation.
func TestDocs(t *testing.T) {
	s := begin(t, setting{idle: true})
	for path, kind := range map[string]string{
		"//docs": "text/html; charset=utf-8", "//docs/style.css": "text/css; charset=utf-8", "//openapi.json": "application/openapi+json",
		"/openapi.json": "application/openapi+json", "/openapi.yaml": "application/openapi+yaml",
	} {
		for method, want := range map[string]int{http.MethodGet: 200, http.MethodHead: 200, http.MethodPost: 405} {
			reply := s.send(sent{token: s.owner.Token + "x", method: method, path: path})
			if reply.status != want || want == 200 && (reply.header.Get("Content-Type") != kind || reply.header.Get("Content-Security-Policy") == "") {
				t.Errorf("%s %s: %d %v", method, path, reply.status, reply.header)
			}
		}
	}
	page := s.send(sent{method: http.MethodGet, path: "//docs"}).text
	for _, o := range s.description().operations() {
		_, rest, found := strings.Cut(page, `<article class="operation" id="`+o.ID+`"`)
		text, _, _ := strings.Cut(rest, "</article>")
		text = textOf(text)
		who := "Needs no token"
		if len(o.Security) > 0 {
			who = "Needs token " + o.Security[0]["token"][0]
		}
		if !found || !strings.Contains(text, o.Summary) || !strings.Contains(text, o.method+" "+o.path) || !strings.Contains(text, who) {
			t.Errorf("%s is on the page as %q", o.ID, text)
		}
	}
	whole := textOf(page)
	for _, want := range []string{
		"study string in path required The ID of the study. maxLength 100", "limit integer in query default 50", "Body application/json Withdrawal",
		"204 No Content without a body", "multipart/form-data", "catalogue string required The arms: CSV", "ETag header",
		`format string How the pages show contexts and texts. Defaults to plain. enum ["plain","markdown"]`, "picks list of string",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	css := s.send(sent{method: http.MethodGet, path: "//docs/style.css"}).text
	if strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the stylesheet loads something")
	}
}

// textOf returns the text of a page on one line.
func textOf(page string) string {
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString("<"+page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// TestDocsAreStrict: the page is well-formed, contains nothing that a strict policy forbids, loads only its stylesheet,
// and has no broken links.
func TestDocsAreStrict(t *testing.T) {
	s := begin(t, setting{idle: true})
	ids, links := map[string]bool{}, []string{}
	decoder := xml.NewDecoder(strings.NewReader(s.send(sent{method: http.MethodGet, path: "//docs"}).text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		s.must(err)
		e, _ := token.(xml.StartElement)
		switch e.Name.Local {
		case "script", "style", "img", "iframe", "object":
			t.Errorf("<%s>", e.Name.Local)
		}
		for _, a := range e.Attr {
			name := a.Name.Local
			switch {
			case name == "id" && ids[a.Value]:
				t.Errorf("id %q occurs twice", a.Value)
			case name == "id":
				ids[a.Value] = true
			case name == "href" && (e.Name.Local != "link" || a.Value != "/docs/style.css"):
				links = append(links, a.Value)
			case name == "style", name == "src", strings.HasPrefix(name, "on"):
				t.Errorf("<%s %s=%q>", e.Name.Local, name, a.Value)
			}
		}
	}
	for _, link := range links {
		if id, local := strings.CutPrefix(link, "#"); !local || !ids[id] {
			t.Errorf("link to %q is broken", link)
		}
	}
}
