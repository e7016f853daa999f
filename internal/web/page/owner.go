package page

import (
	"context"
	"errors"
	"math"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
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
	access.Record(ctx, s.Audit, access.Entry{
		At: s.Clock(), By: who.Name, Token: who.ID(), Operation: operation, Study: study, Detail: detail,
	}, s.Log)
}

// Refused adds an entry about a refused credential to the audit log.
func (s *Site) Refused(r *http.Request, operation string) {
	s.refusals.Record(r.Context(), s.Audit, access.Entry{At: s.Clock(), Operation: operation},
		middleware.AddressOf(r.Context()).String(), s.Log)
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
	if r.Method == http.MethodGet && (status == http.StatusTooManyRequests || status >= http.StatusInternalServerError) {
		view.Again = ownPath(r.URL.RequestURI())
	}
	return s.Show(w, status, "message", Whole, view)
}

// retryUnavailable is when to try again while the store is unavailable, as on a full disk.
const retryUnavailable = 30 * time.Second

// Fail shows the page of an error: that there is no such study, that a form cannot be read, that the store is unavailable,
// or that an internal error was logged.
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
		if code := study.Coded(err).Code; code == study.CodeUnavailable || code == study.CodeBusy || code == study.CodeTimeout {
			status = http.StatusServiceUnavailable
			SetRetryAfter(w, retryUnavailable)
		}
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

// StudyOf returns the requested study.
func (s *Site) StudyOf(r *http.Request) (study.Study, error) {
	return s.studies.Study(r.Context(), r.PathValue("study"))
}

// PublicAddress returns the address under which people reach the server: the configured one, or the one with which the
// owner reached it. local says that it only works on this computer.
func (s *Site) PublicAddress(r *http.Request) (address url.URL, local bool) {
	if s.PublicURL != nil {
		address = *s.PublicURL
		address.Path = s.Base
	} else {
		address = url.URL{Scheme: "http", Host: r.Host, Path: s.Base}
		if s.Secure || r.TLS != nil {
			address.Scheme = "https"
		}
	}
	host := address.Hostname()
	ip, err := netip.ParseAddr(host)
	return address, host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// A StateView has the state of a study, or the reason why it is done.
type StateView struct {
	statement.Words

	State string
}

// StateOf returns the view of a study's state.
func StateOf(w statement.Words, s study.Study) StateView {
	if s.State == study.Done && s.Reason != "" {
		return StateView{w, string(s.Reason)}
	}
	return StateView{w, string(s.State)}
}

// Minutes returns about how many minutes some questions take, at ten seconds each. It returns 0 if their number is
// not limited.
func Minutes(questions int) int {
	const perMinute = 6
	return (questions + perMinute - 1) / perMinute
}

// Attach sets the headers of a file that browsers save.
func Attach(w http.ResponseWriter, contentType, name string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Cache-Control", "no-store")
}

// FileName returns the name of a study as a part of a file name, or its ID if nothing is left of the name.
func FileName(s study.Study) string {
	const most = 60
	words := strings.FieldsFunc(strings.ToLower(s.Name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	name := []rune(strings.Join(words, "-"))
	if len(name) == 0 {
		return s.ID
	}
	return string(name[:min(len(name), most)])
}

// RecordCreated adds a new study to the audit log. If the owner's name is an e-mail address and there is a mail server, it
// gets a message when the study ends.
func (s *Site) RecordCreated(r *http.Request, who access.Token, id, detail string) {
	s.Record(r.Context(), who, "create-study", id, detail)
	if address := "mailto:" + who.Name; s.Webhooks != nil && s.Webhooks.CheckURL(address) == nil {
		if err := s.Webhooks.Set(r.Context(), webhook.New(id, address, s.Clock())); err != nil {
			s.Log.Error("a study has no notification", "error", err)
		}
	}
}
