package page

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/statement"
	"bestpick/internal/study"
)

// An OwnerView is the data of all pages for signed-in users.
type OwnerView struct {
	statement.Words

	Who  access.Token
	Here string // the path of the page
}

// Owner reports whether the user may change something.
func (v OwnerView) Owner() bool { return v.Who.Role.May(access.Owner) }

// OwnerView returns the data for a request.
func (s *Site) OwnerView(r *http.Request, who access.Token) OwnerView {
	return OwnerView{s.WordsOf(r), who, r.URL.Path}
}

// Record adds an entry to the audit log, like the API.
func (s *Site) Record(ctx context.Context, who access.Token, operation, study, detail string) {
	access.Record(ctx, s.Audit, access.Entry{At: s.Clock(), By: who.Name, Operation: operation, Study: study, Detail: detail}, s.Log)
}

// A MessageView is a page with a title and a text only.
type MessageView struct {
	OwnerView

	Kind  string // the prefix of the message keys
	Again string // the address to try again; empty if that does not help
}

// ShowMessage shows a page with a message. who is empty if the user is not signed in.
func (s *Site) ShowMessage(w http.ResponseWriter, r *http.Request, who access.Token, status int, kind string) error {
	view := MessageView{OwnerView: s.OwnerView(r, who), Kind: kind}
	if r.Method == http.MethodGet && (status == http.StatusTooManyRequests || status == http.StatusInternalServerError) {
		view.Again = ownPath(r.URL.RequestURI())
	}
	return s.Show(w, status, "message", Whole, view)
}

// Fail shows the page of an error: that there is no such study, that a form cannot be read, or that an internal error was
// logged.
func (s *Site) Fail(w http.ResponseWriter, r *http.Request, who access.Token, err error) {
	status, kind := http.StatusNotFound, "missing"
	switch {
	case errors.Is(err, context.Canceled): // the client is gone
		return
	case errors.Is(err, ErrUnreadable):
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case !errors.Is(err, study.ErrNotFound):
		s.Log.Error("a page failed", "error", err)
		who, status, kind = access.Token{}, http.StatusInternalServerError, "trouble"
	}
	if s.ShowMessage(w, r, who, status, kind) != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}

// Page returns the handler of a page for people without a token.
func (s *Site) Page(show func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := show(w, r); err != nil {
			s.Fail(w, r, access.Token{}, err)
		}
	}
}

// TooMany replies to requests over a rate limit.
func (s *Site) TooMany(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	SetRetryAfter(w, wait)
	s.Page(func(w http.ResponseWriter, r *http.Request) error {
		return s.ShowMessage(w, r, access.Token{}, http.StatusTooManyRequests, "busy")
	})(w, r)
}

// SetRetryAfter sets the header that says when to try again.
func SetRetryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
}

// ownPath returns the path if it is on this server, and otherwise the path of the list. Browsers
// interpret two slashes or a backslash as the start of a host.
func ownPath(path string) string {
	parsed, err := url.Parse(path)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsAny(path, "\\\r\n\t") {
		return ListPath
	}
	return path
}
