package web

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"bestpick/internal/access"
)

// An ownerView is the data of all pages for signed-in users.
type ownerView struct {
	words

	Who  access.Token
	Here string // the path of the page
}

// Owner reports whether the user may change something.
func (v ownerView) Owner() bool { return v.Who.Role.May(access.Owner) }

// ownerView returns the data for a request.
func (p *Pages) ownerView(r *http.Request, who access.Token) ownerView {
	return ownerView{p.wordsOf(r), who, r.URL.Path}
}

// languageCookie keeps the language that an owner has chosen.
const (
	languageCookie = "lang"
	keepLanguage   = 365 * 24 * time.Hour
)

// wordsOf returns the messages for a request: in the language of the address, else of the cookie, else of the
// browser.
func (p *Pages) wordsOf(r *http.Request) words {
	chosen := r.URL.Query().Get("lang")
	if cookie, err := r.Cookie(languageCookie); err == nil && chosen == "" {
		chosen = cookie.Value
	}
	return p.languages.of(r, chosen)
}

// rememberLanguage has the browser remember the language in the address.
func (p *Pages) rememberLanguage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("lang") == "" {
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure depends on the connection
		Name: languageCookie, Value: p.wordsOf(r).Language, Path: p.Base + "/", MaxAge: int(keepLanguage.Seconds()), HttpOnly: true, Secure: p.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// record adds an entry to the audit log, like the API.
func (p *Pages) record(ctx context.Context, who access.Token, operation, study, detail string) {
	access.Record(ctx, p.Audit, access.Entry{At: p.studies.Clock(), By: who.Name, Operation: operation, Study: study, Detail: detail}, p.Log)
}

// A sayingView is a page with a title and a text only.
type sayingView struct {
	ownerView

	Kind  string // the prefix of the message keys
	Again string // the address to try again; empty if that does not help
}

// say shows a page with a message. who is empty if the user is not signed in.
func (p *Pages) say(w http.ResponseWriter, r *http.Request, who access.Token, status int, kind string) {
	view := sayingView{ownerView: p.ownerView(r, who), Kind: kind}
	if r.Method == http.MethodGet && (status == http.StatusTooManyRequests || status == http.StatusInternalServerError) {
		view.Again = ownPath(r.URL.RequestURI())
	}
	p.show(w, status, "saying", "layout", view)
}

// failed logs an internal error and shows its page.
func (p *Pages) failed(w http.ResponseWriter, r *http.Request, err error) {
	p.Log.Error("a page failed", "error", err)
	p.say(w, r, access.Token{}, http.StatusInternalServerError, "trouble")
}

// retryAfter returns the value of a Retry-After header.
func retryAfter(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }
