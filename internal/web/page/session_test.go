package page

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
)

// TestSessionIsSigned: sessions cannot be forged, extended or used for another token.
func TestSessionIsSigned(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	key := []byte("key")
	good := signSession(key, "hash", "nonce", now.Add(time.Minute))
	s, ok := openSession([][]byte{key}, good, now)
	if !ok || s.token != "hash" || !s.until.Equal(now.Add(time.Minute)) {
		t.Errorf("%+v, %v", s, ok)
	}
	if other, ok := openSession([][]byte{key}, signSession(key, "hash", "another", now.Add(time.Minute)), now); !ok ||
		other.id == s.id {
		t.Errorf("%+v, %v", other, ok)
	}
	for what, value := range map[string]string{
		"over":        signSession(key, "hash", "nonce", now),
		"another key": signSession([]byte("other"), "hash", "nonce", now.Add(time.Minute)),
		"other hash":  strings.Replace(good, "hash", "wash", 1),
		"other nonce": strings.Replace(good, "nonce", "other", 1),
		"no nonce":    strings.Replace(good, ".nonce", "", 1),
		"prolonged":   strings.Replace(good, "1000060", "2000060", 1),
		"unsigned":    "2000060.hash",
		"nothing":     "",
		"points":      "...",
		"31 days":     signSession(key, "hash", "nonce", now.Add(31*24*time.Hour)),
	} {
		if s, ok := openSession([][]byte{key}, value, now); ok {
			t.Errorf("%s: %q is accepted as %+v", what, value, s)
		}
	}
}

// TestOwnPath: signing in redirects only to pages of this server, whatever the link says.
func TestOwnPath(t *testing.T) {
	for path, want := range map[string]string{
		"/studies/x?y=z": "/studies/x?y=z", "/": "/", "": "/", "new": "/", "//elsewhere.example": "/", `/\elsewhere.example`: "/",
		"https://elsewhere.example/": "/",
		"/a\tb":                      "/", "javascript:alert(1)": "/", "/%0d%0aSet-Cookie:x": "/%0d%0aSet-Cookie:x",
		"/\r\n": "/", "/%zz": "/",
	} {
		if got := ownPath(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// allTokens is embedded under this name, because one of its methods is called Tokens.
type allTokens access.Tokens

// tokens is a token store for tests.
type tokens struct {
	allTokens

	known map[string]access.Token
	ended map[string]bool // sessions
}

func (t tokens) Token(_ context.Context, hash string) (access.Token, error) {
	token, is := t.known[hash]
	if !is {
		return access.Token{}, access.ErrUnknown
	}
	return token, nil
}

func (t tokens) SessionToken(ctx context.Context, hash, session string) (access.Token, error) {
	if t.ended[session] {
		return access.Token{}, access.ErrUnknown
	}
	return t.Token(ctx, hash)
}

func (t tokens) EndSession(_ context.Context, session string, _, _ time.Time) error {
	if t.ended == nil {
		return errors.New("sessions cannot be ended")
	}
	if t.ended[session] {
		return access.ErrUnknown
	}
	t.ended[session] = true
	return nil
}

// noAudit drops entries.
type noAudit struct{ access.Audit }

func (noAudit) AddEntry(context.Context, access.Entry) error { return nil }

// signInAs signs in with a token, from an address.
func signInAs(t *testing.T, handler http.Handler, secret, from string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, signInPath,
		strings.NewReader(url.Values{"token": {secret}, "next": {"/new"}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.RemoteAddr = from
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// TestSignIn: the cookie does not contain the token, is limited to this host, and becomes invalid
// when the token is revoked. Attempts are rate limited.
func TestSignIn(t *testing.T) {
	secret, token := access.New("Anna", access.Viewer, time.Now())
	known := map[string]access.Token{token.Hash: token}
	p := New(nil, [][]byte{nil}, time.Now, Options{Tokens: tokens{known: known}, Audit: noAudit{}, Secure: true})
	handler := middleware.Chain(p, middleware.Address(nil))
	w := signInAs(t, handler, " "+secret+"\n", "192.0.2.1:1")
	cookie := w.Result().Cookies()[0]
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/new" || strings.Contains(cookie.Value, secret) {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if cookie.Name != "__Host-session" || !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode ||
		cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("the cookie is %v", cookie)
	}
	visit := func(role access.Role) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/new", nil)
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		p.signedIn(role, func(w http.ResponseWriter, _ *http.Request, who access.Token) error {
			if who != token {
				t.Errorf("the user is %v", who)
			}
			w.WriteHeader(http.StatusTeapot)
			return nil
		})(w, r)
		if !strings.Contains(strings.Join(w.Header().Values("Content-Security-Policy"), ";"), "frame-ancestors 'none'") {
			t.Error("the page can be framed")
		}
		return w.Code
	}
	if got := visit(access.Viewer); got != http.StatusTeapot {
		t.Errorf("a viewer gets %d", got)
	}
	if got := visit(access.Owner); got != http.StatusForbidden {
		t.Errorf("a viewer gets %d on a page for owners", got)
	}
	delete(known, token.Hash)
	if got := visit(access.Viewer); got != http.StatusSeeOther {
		t.Errorf("with a revoked token: %d", got)
	}
	for range signInBurst {
		w = signInAs(t, handler, secret, "192.0.2.1:2")
	}
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d after many attempts", w.Code)
	}
	if w = signInAs(t, handler, secret, "192.0.2.2:1"); w.Code != http.StatusUnauthorized || len(w.Result().Cookies()) > 0 {
		t.Errorf("a revoked token can sign in: %d", w.Code)
	}
}

// TestSignOut: signing out ends the session for all copies of its cookie, but not others of the
// same token. If that fails, the browser keeps the cookie.
func TestSignOut(t *testing.T) {
	secret, token := access.New("Anna", access.Owner, time.Now())
	known := map[string]access.Token{token.Hash: token}
	p := New(nil, [][]byte{nil}, time.Now, Options{Tokens: tokens{known: known, ended: map[string]bool{}}, Audit: noAudit{}})
	handler := middleware.Chain(p, middleware.Address(nil))
	cookie, other := signInAs(t, handler, secret, "192.0.2.1:1").Result().Cookies()[0],
		signInAs(t, handler, secret, "192.0.2.1:1").Result().Cookies()[0]
	signedIn := func(cookie *http.Cookie) bool {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.AddCookie(cookie)
		_, err := p.Session(r)
		return err == nil
	}
	signOut := func(handler http.Handler) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, signOutPath, nil)
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	if w := signOut(New(nil, [][]byte{nil}, time.Now,
		Options{Tokens: tokens{known: known}, Audit: noAudit{}})); w.Code != http.StatusInternalServerError ||
		len(w.Result().Cookies()) > 0 {
		t.Errorf("%d %v where the session cannot be ended", w.Code, w.Header())
	}
	if !signedIn(cookie) || !signedIn(other) {
		t.Fatal("not signed in")
	}
	if w := signOut(p); w.Code != http.StatusSeeOther || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if signedIn(cookie) || !signedIn(other) {
		t.Errorf("signed out: %v, in the other session: %v", !signedIn(cookie), !signedIn(other))
	}
	if w := signOut(p); w.Code != http.StatusSeeOther {
		t.Errorf("%d the second time", w.Code)
	}
}

// TestLanguageIsKept: the chosen language applies to later pages, and invalid ones are not stored.
func TestLanguageIsKept(t *testing.T) {
	p := New(nil, [][]byte{nil}, time.Now, Options{Tokens: tokens{}})
	get := func(path string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		for _, cookie := range cookies {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w
	}
	german := get("/sign-in?lang=de-AT").Result().Cookies()
	if len(german) != 1 || german[0].Value != "de" {
		t.Fatalf("the cookies are %v", german)
	}
	if w := get("/sign-in", german...); !strings.Contains(w.Body.String(), "Anmelden") || len(w.Result().Cookies()) > 0 {
		t.Errorf("%s", w.Body)
	}
	if w := get("/sign-in?lang=en", german...); strings.Contains(w.Body.String(), "Anmelden") {
		t.Errorf("%s", w.Body)
	}
	if kept := get("/sign-in?lang=%3Cscript%3E").Result().Cookies(); kept[0].Value != "en" {
		t.Errorf("the cookies are %v", kept)
	}
}

// FuzzSession: only signed cookies are accepted as sessions.
func FuzzSession(f *testing.F) {
	now := time.Unix(1_000_000, 0)
	good := signSession([]byte("key"), "hash", "nonce", now.Add(time.Hour))
	for _, seed := range []string{good, "", ".", "..", "1.2.3", good[:len(good)-1], good + "="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if s, ok := openSession([][]byte{[]byte("key")}, value, now); ok && (value != good || s.token != "hash") {
			t.Errorf("%q is accepted as %q", value, s.token)
		}
	})
}

// FuzzOwnPath: redirects after signing in lead to pages of this server only.
func FuzzOwnPath(f *testing.F) {
	for _, seed := range []string{"/", "/new?a=b#c", "//x", `/\x`, "https://x", "/a//b", "/\t/x", "javascript:x", "/..//x"} {
		f.Add(seed)
	}
	here := &url.URL{Scheme: "https", Host: "here.example", Path: "/sign-in"}
	f.Fuzz(func(t *testing.T, path string) {
		got := ownPath(path)
		to, err := here.Parse(got)
		if err != nil || to.Host != here.Host || to.Scheme != here.Scheme || to.User != nil || got[0] != '/' {
			t.Errorf("%q leads to %v, %v", path, to, err)
		}
		if len(got) > 1 && (got[1] == '/' || got[1] == '\\') {
			t.Errorf("%q leads to %q", path, got)
		}
	})
}

// TestAssets: files of this version are cached, files of other versions are not, and unknown files
// are not found.
func TestAssets(t *testing.T) {
	p := New(nil, [][]byte{nil}, time.Now, Options{})
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	for name, kind := range map[string]string{
		"bestpick.css": "text/css", "respond.js": "text/javascript",
		"icon.svg": "image/svg+xml",
	} {
		w := get(p.assets.address(name))
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) ||
			!strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		if w := get(assetsPath + "older/" + name); w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("another version of %s: %d %v", name, w.Code, w.Header())
		}
	}
	if w := get(assetsPath + p.assets.version + "/nothing.js"); w.Code != http.StatusNotFound {
		t.Errorf("an unknown file: %d", w.Code)
	}
}

// TestAssetsNeedNothingElse: no file contains the URL of another site.
func TestAssetsNeedNothingElse(t *testing.T) {
	for name, text := range newAssets().files {
		for _, scheme := range []string{"http:", "https:", "//cdn", "@import"} {
			rest := strings.ReplaceAll(string(text), `xmlns="http://www.w3.org/2000/svg"`, "")
			if strings.Contains(rest, scheme) {
				t.Errorf("%s contains %s", name, scheme)
			}
		}
	}
}
