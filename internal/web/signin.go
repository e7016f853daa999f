package web

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
)

// The rate limit of sign-in attempts per address.
const (
	signInRate  = 0.2 // per second
	signInBurst = 20
)

// A signInView is the page on which owners and viewers sign in.
type signInView struct {
	words

	Next    string // the path to redirect to
	Problem string // the message key of a problem
}

// registerSignIn registers the pages for signing in and out.
func (p *Pages) registerSignIn() {
	p.mux.HandleFunc("GET "+signInPath, p.signInForm)
	limited := middleware.Limit(middleware.NewLimiter(signInRate, signInBurst), p.studies.Clock, func(
		w http.ResponseWriter, r *http.Request, wait time.Duration,
	) {
		if !parse(w, r) {
			return
		}
		w.Header().Set("Retry-After", retryAfter(wait))
		p.signInAgain(w, r, http.StatusTooManyRequests, "sign-in.often")
	})
	p.mux.Handle("POST "+signInPath, limited(http.HandlerFunc(p.signIn)))
	p.mux.HandleFunc("POST "+signOutPath, p.signOut)
}

func (p *Pages) signInForm(w http.ResponseWriter, r *http.Request) {
	next := ownPath(r.URL.Query().Get("next"))
	if _, err := p.session(r); err == nil {
		p.redirect(w, r, next)
		return
	}
	p.showSignIn(w, r, http.StatusOK, signInView{Next: next})
}

// signIn signs in with a token. Wrong and valid tokens take the same time, because both are looked
// up by their hash.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request) {
	if !parse(w, r) {
		return
	}
	token, err := p.Tokens.Token(r.Context(), access.Hash(r.PostFormValue("token")))
	switch {
	case errors.Is(err, access.ErrUnknown):
		p.signInAgain(w, r, http.StatusUnauthorized, "sign-in.wrong")
	case err != nil:
		p.failed(w, r, err)
	default:
		p.setSession(w, signSession(p.sessionKey(), token.Hash, rand.Text(), p.studies.Clock().Add(keepSession)))
		w.Header().Set("Cache-Control", "no-store")
		p.redirect(w, r, ownPath(r.PostFormValue("next")))
	}
}

// signOut ends the session, so that copies of the cookie become invalid, and deletes the cookie.
func (p *Pages) signOut(w http.ResponseWriter, r *http.Request) {
	if s, ok := p.cookie(r); ok {
		if err := p.Tokens.EndSession(r.Context(), s.id, s.until, p.studies.Clock()); err != nil {
			p.failed(w, r, err) // the cookie is kept for a retry
			return
		}
	}
	p.setSession(w, "")
	w.Header().Set("Cache-Control", "no-store")
	p.redirect(w, r, signInPath)
}

// askToSignIn redirects to the sign-in page, and from there back to the requested page. Forms are not sent again.
func (p *Pages) askToSignIn(w http.ResponseWriter, r *http.Request) {
	address := signInPath
	if r.Method == http.MethodGet && r.URL.RequestURI() != listPath {
		address += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	w.Header().Set("Cache-Control", "no-store")
	p.redirect(w, r, address)
}

func (p *Pages) signInAgain(w http.ResponseWriter, r *http.Request, status int, problem string) {
	p.showSignIn(w, r, status, signInView{Next: ownPath(r.PostFormValue("next")), Problem: problem})
}

func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request, status int, view signInView) {
	neverFramed(w)
	p.rememberLanguage(w, r)
	view.words = p.wordsOf(r)
	p.show(w, status, "signin", "layout", view)
}

// ownPath returns the path if it is on this server, and otherwise the path of the list. Browsers
// interpret two slashes or a backslash as the start of a host.
func ownPath(path string) string {
	parsed, err := url.Parse(path)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsAny(path, "\\\r\n\t") {
		return listPath
	}
	return path
}
