package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
)

// Show renders a page or a part of it, with Cache-Control: no-store. After an error nothing is written.
func (s *Site) Show(w http.ResponseWriter, status int, page, part string, data any) error {
	text, err := s.Render(page, part, data)
	if err != nil {
		return fmt.Errorf("page %s: %w", page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client is gone
	return nil
}

// Render returns the HTML of a page or a part of it, with links under the base. Templates and views have links
// without it.
func (s *Site) Render(page, part string, data any) ([]byte, error) {
	var text bytes.Buffer
	err := s.templates[page].ExecuteTemplate(&text, part, data)
	if s.Base == "" {
		return text.Bytes(), err
	}
	return localLink.ReplaceAll(text.Bytes(), []byte(`$1="`+s.Base+`/`)), err
}

// localLink matches the attributes of rendered HTML that refer to a path of this server. Quotes in
// texts are escaped, so that texts do not match.
var localLink = regexp.MustCompile(`\b(href|src|action|formaction|data-api|data-look|data-events|data-address)="/`)

// Redirect redirects the browser to a path of this server, or returns its address to JavaScript. It returns nil, as the
// result of a [Handler].
func (s *Site) Redirect(w http.ResponseWriter, r *http.Request, path string) error {
	if WantsPart(r) {
		Reply(w, FormReply{Location: s.Base + path})
	} else {
		s.redirect(w, r, path)
	}
	return nil
}

// redirect redirects even a request for a part of a page.
func (s *Site) redirect(w http.ResponseWriter, r *http.Request, path string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.Base+path, http.StatusSeeOther) //nolint:gosec // callers pass own paths only
}

// RedirectToStudy redirects to the page of a study, which shows a message about an action.
func (s *Site) RedirectToStudy(w http.ResponseWriter, r *http.Request, id, action string) error {
	return s.Redirect(w, r, StudyAddress(id, "", "did", action, "lang", r.FormValue("lang")))
}

// StudyAddress returns the address of a path below the page of a study, with a query as in [Address].
func StudyAddress(id, path string, pairs ...string) string {
	return Address(StudiesPath+url.PathEscape(id)+path, pairs...)
}

// Address returns a path with a query. Pairs are names and values; those without a value are left out.
func Address(path string, pairs ...string) string {
	query := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			query.Set(pair[0], pair[1])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// WantsPart reports whether JavaScript requests a part of a page.
func WantsPart(r *http.Request) bool { return r.Header.Get("X-Part") != "" }

// A FormReply is the reply to a form that JavaScript has sent: the next location, or problems.
type FormReply struct {
	Location string            `json:"location,omitempty"`
	Problems map[string]string `json:"problems,omitempty"` // messages by field
}

// Reply writes the reply to a form.
func Reply(w http.ResponseWriter, what FormReply) {
	text, err := json.Marshal(what)
	if err != nil {
		panic("web: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text) // the client is gone
}
