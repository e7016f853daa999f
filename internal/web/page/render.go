package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
)

// Show renders a page or a part of it, with Cache-Control: no-store.
func (s *Site) Show(w http.ResponseWriter, status int, page, part string, data any) {
	text, err := s.Render(page, part, data)
	if err != nil {
		s.Log.Error("a page failed", "page", page, "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client is gone
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

// Redirect redirects the browser to a path of this server, or returns its address to JavaScript.
func (s *Site) Redirect(w http.ResponseWriter, r *http.Request, path string) {
	if WantsPart(r) {
		Reply(w, FormReply{Location: s.Base + path})
		return
	}
	s.redirect(w, r, path)
}

// redirect redirects even a request for a part of a page.
func (s *Site) redirect(w http.ResponseWriter, r *http.Request, path string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.Base+path, http.StatusSeeOther) //nolint:gosec // callers pass own paths only
}

// RedirectToStudy redirects to the page of a study, which shows a message about an action.
func (s *Site) RedirectToStudy(w http.ResponseWriter, r *http.Request, id, action string) {
	query := url.Values{"did": {action}}
	if chosen := r.FormValue("lang"); chosen != "" {
		query.Set("lang", chosen)
	}
	s.Redirect(w, r, StudiesPath+url.PathEscape(id)+"?"+query.Encode())
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
