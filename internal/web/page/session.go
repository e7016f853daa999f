package page

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
)

// keepSession is the lifetime of a session. Cookies that claim a longer one are refused.
const keepSession = 30 * 24 * time.Hour

// sessionCookie returns the name of the cookie. With TLS its prefix makes browsers ensure that it was set over TLS and,
// for pages at the root, by this host: browsers accept __Host- with the path / only.
func (s *Site) sessionCookie() string {
	switch {
	case !s.Secure:
		return "session"
	case s.Base != "":
		return "__Secure-session"
	}
	return "__Host-session"
}

// SignIn signs a browser in with a token, and adds that to the audit log.
func (s *Site) SignIn(w http.ResponseWriter, r *http.Request, token access.Token) {
	s.Record(r.Context(), token, "sign-in", "", "from "+middleware.AddressOf(r.Context()).String())
	s.setSession(w, signSession(s.keys[0], token.Hash, rand.Text(), s.Clock().Add(keepSession)))
}

// setSession sets the session cookie, or deletes it if the value is empty. Browsers send it when
// users follow links from other sites, such as in a mail, but not with forms of other sites.
func (s *Site) setSession(w http.ResponseWriter, value string) {
	cookie := &http.Cookie{ //nolint:gosec // Secure depends on the connection
		Name: s.sessionCookie(), Value: value, Path: s.Base + "/", MaxAge: int(keepSession.Seconds()), HttpOnly: true,
		Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// A session is the content of a session cookie.
type session struct {
	id    string // a hash of the signed text, under which the session can be ended
	token string // the hash of the token
	until time.Time
}

// signSession returns the value of a cookie: the end of the session, the hash of a token, and a
// nonce that makes sessions of one token differ. It is signed with a key that depends on a secret outside the
// store, so that a copy of the store is not enough to make one.
func signSession(key []byte, hash, nonce string, until time.Time) string {
	text := strconv.FormatInt(until.Unix(), 10) + "." + hash + "." + nonce
	return text + "." + sealSession(key, text)
}

// openSession returns the session of a cookie with a valid signature by one of the keys that has not expired, and will
// within keepSession.
func openSession(keys [][]byte, value string, now time.Time) (s session, ok bool) {
	end := strings.LastIndexByte(value, '.')
	if end < 0 || !slices.ContainsFunc(keys, func(key []byte) bool {
		return hmac.Equal([]byte(value[end+1:]), []byte(sealSession(key, value[:end])))
	}) {
		return s, false
	}
	text := value[:end]
	seconds, rest, _ := strings.Cut(text, ".")
	hash, _, _ := strings.Cut(rest, ".")
	until, err := strconv.ParseInt(seconds, 10, 64)
	lasts := until - now.Unix()
	return session{id: access.Hash(text), token: hash, until: time.Unix(until, 0)},
		err == nil && lasts > 0 && lasts <= int64(keepSession.Seconds())
}

func sealSession(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Session returns the token of the signed-in user, or access.ErrUnknown. It is looked up with every
// request, so that revoking the token, or signing out, takes effect at once. A name that a trusted proxy vouches for counts
// more than a session, which may be of another person at the same browser.
func (s *Site) Session(r *http.Request) (access.Token, error) {
	token, err := s.named(r.Context(), middleware.UserOf(r.Context()))
	if session, ok := s.cookie(r); ok && errors.Is(err, access.ErrUnknown) {
		return s.Tokens.SessionToken(r.Context(), session.token, session.id)
	}
	return token, err
}

// named returns the token with a name that a trusted proxy or an e-mail vouches for. The case of e-mail addresses does not
// matter. Invitations are unknown.
func (s *Site) named(ctx context.Context, name string) (access.Token, error) {
	if name == "" {
		return access.Token{}, access.ErrUnknown
	}
	tokens, err := s.Tokens.Tokens(ctx)
	if err != nil {
		return access.Token{}, err
	}
	for _, t := range tokens {
		if !t.Invites() && (t.Name == name || access.IsEmail(t.Name) && strings.EqualFold(t.Name, name)) {
			return t, nil
		}
	}
	return access.Token{}, access.ErrUnknown
}

// cookie returns the session of a request's cookie, even if it was ended.
func (s *Site) cookie(r *http.Request) (found session, ok bool) {
	cookie, err := r.Cookie(s.sessionCookie())
	if err != nil {
		return found, false
	}
	return openSession(s.keys, cookie.Value, s.Clock())
}

// A Handler serves a page to a signed-in user, or returns an error for [Site.Fail].
type Handler func(w http.ResponseWriter, r *http.Request, who access.Token) error

// HandleViewers registers a page for signed-in users.
func (s *Site) HandleViewers(pattern string, handle Handler) {
	s.Handle(pattern, s.signedIn(access.Viewer, handle))
}

// HandleOwners registers a page for signed-in owners.
func (s *Site) HandleOwners(pattern string, handle Handler) {
	s.Handle(pattern, s.signedIn(access.Owner, handle))
}

// HandleForm registers a page for signed-in owners that receives a form without files.
func (s *Site) HandleForm(pattern string, handle Handler) {
	s.HandleOwners(pattern, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		if err := ParseForm(w, r); err != nil {
			return err
		}
		return handle(w, r, who)
	})
}

// signedIn serves a page to users whose token has the role and sees the study, and redirects others to sign in and back.
// Other sites cannot frame the page.
func (s *Site) signedIn(role access.Role, next Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		NeverFramed(w)
		s.RememberLanguage(w, r)
		who, err := s.Session(r)
		switch {
		case errors.Is(err, access.ErrUnknown):
			s.askToSignIn(w, r)
			return
		case err != nil:
		case !who.Role.May(role):
			err = s.ShowMessage(w, r, who, http.StatusForbidden, "forbidden")
		case !who.Sees(r.PathValue("study")) && r.URL.Path != ListPath:
			err = study.ErrNotFound
		default:
			err = next(w, r, who)
		}
		if err != nil {
			s.Fail(w, r, who, err)
		}
	}
}

// NeverFramed forbids framing of a page, even on sites that may frame the pages of respondents.
func NeverFramed(w http.ResponseWriter) {
	w.Header().Add("Content-Security-Policy", "frame-ancestors 'none'")
	w.Header().Set("X-Frame-Options", "DENY")
}

// askToSignIn redirects to the sign-in page, and from there back to the requested page. Forms are not sent again.
func (s *Site) askToSignIn(w http.ResponseWriter, r *http.Request) {
	next := ""
	if r.Method == http.MethodGet && r.URL.RequestURI() != ListPath {
		next = r.URL.RequestURI()
	}
	s.redirect(w, r, Address(signInPath, "next", next))
}
