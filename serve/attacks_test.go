package serve

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/study"
	"bestpick/internal/testpostgres"
	"bestpick/internal/web"
)

// pipes is a listener whose connections are pipes, so that deadlines use the clock of the test.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	close    func()
}

func newPipes() *pipes {
	closed := make(chan struct{})
	return &pipes{make(chan net.Conn), closed, sync.OnceFunc(func() { close(closed) })}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-p.accepted:
		return connection, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.close(); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// halfSent sends a request with half of its body, and returns how long the server keeps the connection.
func (p *pipes) halfSent(t *testing.T, head, body string) time.Duration {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	p.accepted <- server
	began := time.Now()
	if err := client.SetDeadline(began.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(client, "%s\r\nContent-Length: 1000\r\n\r\n%s", head, body); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, client); err != nil {
		t.Errorf("%s: %v", head, err)
	}
	return time.Since(began)
}

// posts returns the paths of all routes with a body: pages by forms, and operations by JSON and forms.
func posts(t *testing.T, s *Service, study string) map[string]string {
	t.Helper()
	const form, files = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	fill := func(path string) string {
		return wildcard.ReplaceAllString(strings.Replace(path, "{study}", study, 1), "x")
	}
	all := map[string]string{"POST /nowhere": form, "POST /healthz": form}
	for _, route := range web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store, Webhooks: s.sender}).Routes() {
		if method, path, _ := strings.Cut(route, " "); method == http.MethodPost {
			all["POST "+fill(path)] = form
			all["POST "+fill(path)+"?files"] = files
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method := range methods {
			if method = strings.ToUpper(method); method != http.MethodGet {
				all[method+" /api/v1"+fill(path)] = "application/json"
				all[method+" /api/v1"+fill(path)+"?files"] = files
			}
		}
	}
	return all
}

// TestHalfSentBodies: every route closes the connection of a client that sends half of its body, at the latest when
// an owner's upload is over time.
func TestHalfSentBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(t.Context(), filepath.Join(t.TempDir(), "studies.db"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		secret, err := s.AddOwner(t.Context(), "Anna")
		if err != nil {
			t.Fatal(err)
		}
		listener, server := newPipes(), &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute}
		go func() { _ = server.Serve(listener) }()
		cookie := signIn(t, s, secret)
		routes := posts(t, s, "x")
		if len(routes) < 60 {
			t.Fatalf("only %d routes: %v", len(routes), routes)
		}
		var all sync.WaitGroup
		for route, kind := range routes {
			body := "a=b"
			if strings.HasPrefix(kind, "multipart") {
				body = "--b\r\nContent-Disposition: form-data; name=\"table\"; filename=\"x.csv\"\r\n\r\nid"
			}
			for who, most := range map[string]time.Duration{
				"X-Other: x": 45 * time.Second,
				"Cookie: " + cookie + "\r\nAuthorization: Bearer " + secret: 11 * time.Minute,
			} {
				all.Go(func() {
					head := route + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + kind + "\r\n" + who
					if took := listener.halfSent(t, head, body); took > most {
						t.Errorf("%s (%s, %s): open for %v, want at most %v", route, kind, who, took, most)
					}
				})
			}
		}
		all.Wait()
		s.EndStreams()
		_ = server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// signIn returns the cookie of a session.
func signIn(t *testing.T, s *Service, secret string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.Prefix+"/sign-in",
		strings.NewReader(url.Values{"token": {secret}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	s.ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther || len(w.Result().Cookies()) == 0 {
		t.Fatalf("signing in: %d %v", w.Code, w.Header())
	}
	cookie := w.Result().Cookies()[0]
	return cookie.Name + "=" + cookie.Value
}

// TestPicturesEndWithClient: work on an upload whose pictures take minutes ends soon after its client has gone.
func TestPicturesEndWithClient(t *testing.T) {
	const pictures, limit = 300, time.Minute
	s := open(t, Options{})
	secret, err := s.AddOwner(t.Context(), "Anna")
	if err != nil {
		t.Fatal(err)
	}
	var picture, table bytes.Buffer
	if err := png.Encode(&picture, image.NewPaletted(image.Rect(0, 0, 5000, 5200),
		color.Palette{color.Black, color.White})); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	table.WriteString("id,image\n")
	for i := range pictures {
		fmt.Fprintf(&table, "a%d,%d.png\n", i, i)
		files[fmt.Sprintf("%d.png", i)] = picture.String()
	}
	files["a.csv"] = table.String()
	archive := cataloguetest.ZIP(t, files)
	ended := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		ended <- r.Context().Err()
	}))
	defer server.Close()
	for head, fields := range map[string]string{
		"POST /api/v1/studies HTTP/1.1\r\nAuthorization: Bearer " + secret: "name=New",
		"POST /new HTTP/1.1\r\nCookie: " + signIn(t, s, secret):            "name=New&k=3&picks=1",
	} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for field := range strings.SplitSeq(fields, "&") {
			name, value, _ := strings.Cut(field, "=")
			_ = form.WriteField(name, value) // buffers do not fail
		}
		file, _ := form.CreateFormFile("catalogue", "a.zip")
		_, _ = io.WriteString(file, archive)
		_ = form.Close()
		client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(client, "%s\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", head,
			form.FormDataContentType(), body.Len(), body.String())
		if err := errors.Join(err, client.Close()); err != nil {
			t.Fatal(err)
		}
		select {
		case gone := <-ended:
			if gone == nil {
				t.Errorf("%.20s has replied before", head)
			}
		case <-time.After(limit):
			t.Fatalf("%.20s goes on %v after its client has gone", head, limit)
		}
	}
}

// TestRedirectsKeepPrefix: paths that are not clean lead to pages under the prefix, and paths beside it nowhere.
func TestRedirectsKeepPrefix(t *testing.T) {
	s := open(t, Options{Prefix: "/picks"})
	for path, want := range map[string]string{
		"/picks": "/picks/", "/picks//x": "/picks/x", "/picks/./new": "/picks/new", "/picks/a/../new": "/picks/new",
		"/picks/favicon.ico": "/picks/assets/", "/picks/new": "/picks/sign-in", "/picks/studies": "", "/picks/s": "",
		"/picksevil": "", "/picks/../evil": "/evil", "/": "",
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		to := w.Header().Get("Location")
		if !strings.HasPrefix(to, want) || to != "" && want == "" || to == "" && w.Code != http.StatusNotFound {
			t.Errorf("%s: %d to %q, want %q", path, w.Code, to, want)
		}
		if w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s has no security headers", path)
		}
	}
}

// open returns a service on a new database.
func open(t *testing.T, o Options) *Service {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "studies.db"), o)
}

// openAt returns a service on a database.
func openAt(t *testing.T, database string, o Options) *Service {
	t.Helper()
	s, err := New(t.Context(), database, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.EndStreams()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestPrefixWithTLS: owners sign in with a browser under a prefix, over TLS, and stay signed in.
func TestPrefixWithTLS(t *testing.T) {
	b := browser.Start(t)
	for _, prefix := range []string{"/picks", ""} {
		s := open(t, Options{Prefix: prefix, Secure: true})
		secret, err := s.AddOwner(t.Context(), "Anna")
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewTLSServer(s)
		t.Cleanup(server.Close)
		window := b.Open(t, browser.Desktop())
		window.Go(server.URL + prefix + "/new")
		window.Type("input[name=token]", secret)
		window.Keys("\r")
		window.Wait("location.pathname === '" + prefix + "/new' && document.querySelector('form') !== null")
	}
}

// TestTextOnEveryRoute: bytes that are not text, in paths, queries and forms, are no failure of the server, whichever
// database it has.
func TestTextOnEveryRoute(t *testing.T) {
	for name, database := range map[string]string{
		"SQLite": filepath.Join(t.TempDir(), "studies.db"), "PostgreSQL": postgresServer.Database(t),
	} {
		t.Run(name, func(t *testing.T) {
			s := openAt(t, database, Options{Secret: strings.Repeat("x", 32)})
			secret, err := s.AddOwner(t.Context(), "Anna")
			if err != nil {
				t.Fatal(err)
			}
			cookie := signIn(t, s, secret)
			pages := web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store, Webhooks: s.sender})
			for _, route := range pages.Routes() {
				method, path, found := strings.Cut(route, " ")
				if !found || path == "/sign-out" {
					continue
				}
				for _, bytes := range []string{"%ff", "%00"} {
					for _, address := range []string{
						wildcard.ReplaceAllString(path, bytes), wildcard.ReplaceAllString(strings.Replace(path, "{study}", "x", 1), bytes),
						wildcard.ReplaceAllString(path, "x") + "?key=" + bytes + "&before=" + bytes + "&study=" + bytes,
					} {
						form := "name=" + bytes + "&token=" + bytes + "&study=" + bytes + "&role=viewer&key=" + bytes + "&version=1"
						r := httptest.NewRequestWithContext(t.Context(), method, strings.ReplaceAll(address, "{$}", ""), strings.NewReader(form))
						r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
						r.Header.Set("Cookie", cookie)
						w := httptest.NewRecorder()
						s.ServeHTTP(w, r)
						if w.Code >= http.StatusInternalServerError {
							t.Errorf("%s %s: %d", method, address, w.Code)
						}
					}
				}
			}
		})
	}
}

// wildcard is a part of a route that requests fill.
var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// postgresServer is started by the first test that needs it.
var postgresServer = testpostgres.New()

// TestMain stops PostgreSQL after the tests.
func TestMain(m *testing.M) {
	status := m.Run()
	if err := postgresServer.Stop(); err != nil {
		status = 1
	}
	os.Exit(status)
}

// TestSecret: PostgreSQL needs a secret; for SQLite it is a file that only its owner can read. A copy of the database
// without it makes no session, and another secret ends all sessions and changes the public key. During a rotation both
// are accepted.
func TestSecret(t *testing.T) {
	for _, secret := range []string{"", "short"} {
		_, err := New(t.Context(), postgresServer.Database(t), Options{Secret: secret})
		if _, wrong := errors.AsType[OptionError](err); !wrong {
			t.Errorf("PostgreSQL with the secret %q: %v", secret, err)
		}
	}
	database := filepath.Join(t.TempDir(), "studies.db")
	keys := func(o Options) (cookie, public string) {
		s, err := New(t.Context(), database, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		token, err := s.AddOwner(t.Context(), rand.Text())
		if err != nil {
			t.Fatal(err)
		}
		return signIn(t, s, token), get(t, s, "/api/v1/public-key", "").Body.String()
	}
	cookie, public := keys(Options{})
	if info, err := os.Stat(SecretFile(database)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the secret: %v, %v", info, err)
	}
	if _, again := keys(Options{}); again != public {
		t.Error("another public key with the same secret")
	}
	text, err := os.ReadFile(SecretFile(database))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(database)
	if err != nil || bytes.Contains(stored, bytes.TrimSpace(text)) {
		t.Errorf("the database has the secret in it, %v", err)
	}
	// Who has the database knows its random bytes and the hashes of tokens, but not the key of sessions.
	if s := openAt(t, database, Options{}); get(t, s, "/people", cookie).Code != http.StatusOK {
		t.Error("the session is over with the same secret")
	} else if forged := forgedSession(t, s); get(t, s, "/people", forged).Code == http.StatusOK {
		t.Error("the database alone makes a session")
	}
	next := rand.Text() + rand.Text()
	for _, both := range []string{string(text) + next, next + "\n" + string(text)} { // a rotation with both secrets
		if s := openAt(t, database, Options{Secret: both}); get(t, s, "/people", cookie).Code != http.StatusOK {
			t.Error("the session of one of two secrets is over")
		}
	}
	during, _ := keys(Options{Secret: next + "\n" + string(text)})
	if s := openAt(t, database, Options{Secret: next}); get(t, s, "/people", cookie).Code != http.StatusSeeOther ||
		get(t, s, "/people", during).Code != http.StatusOK {
		t.Error("after the rotation the session of the old secret is valid, or that of the new one is not")
	}
	if _, err := New(t.Context(), database, Options{Secret: next + "\nshort"}); err == nil {
		t.Error("a short second secret is accepted")
	}
	if err := os.Remove(SecretFile(database)); err != nil { // rotation at once
		t.Fatal(err)
	}
	s := openAt(t, database, Options{})
	if get(t, s, "/people", cookie).Code != http.StatusSeeOther || get(t, s, "/api/v1/public-key", "").Body.String() == public {
		t.Error("sessions and the public key are the same after the rotation")
	}
}

// forgedSession makes a session as from a copy of the database of a server without a secret outside of it.
func forgedSession(t *testing.T, s *Service) string {
	t.Helper()
	salt, err := s.store.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := s.store.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%d.%s.nonce", time.Now().Add(time.Hour).Unix(), tokens[0].Hash)
	mac := hmac.New(sha256.New, study.Key(salt, "sessions of the pages"))
	mac.Write([]byte(text))
	return "session=" + text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// get requests a page with a cookie.
func get(t *testing.T, s *Service, path, cookie string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Cookie", cookie)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestFirstOwner: the first owner gets a link that works once within an hour, and no other while that is valid.
func TestFirstOwner(t *testing.T) {
	s := open(t, Options{Prefix: "/picks"})
	path, err := s.InviteFirstOwner(t.Context())
	if err != nil || !strings.HasPrefix(path, "/picks/join/") {
		t.Fatalf("%q, %v", path, err)
	}
	if again, err := s.InviteFirstOwner(t.Context()); again != "" || err != nil {
		t.Errorf("a second link: %q, %v", again, err)
	}
	other := open(t, Options{})
	if _, err := other.AddOwner(t.Context(), "Anna"); err != nil {
		t.Fatal(err)
	}
	if late, err := other.InviteFirstOwner(t.Context()); late != "" || err != nil {
		t.Errorf("a link beside an owner: %q, %v", late, err)
	}
	if tokens, err := s.store.Tokens(t.Context()); err != nil || len(tokens) != 1 ||
		tokens[0].Expires.Sub(tokens[0].Created) != time.Hour {
		t.Errorf("%+v, %v", tokens, err)
	}
	for _, want := range []int{http.StatusSeeOther, http.StatusNotFound} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil))
		if w.Code != want || len(w.Result().Cookies()) > 0 != (want == http.StatusSeeOther) {
			t.Errorf("%d %v, want %d", w.Code, w.Header(), want)
		}
	}
	tokens, err := s.store.Tokens(t.Context())
	if err != nil || len(tokens) != 1 || tokens[0].Role != access.Owner || tokens[0].Invites() {
		t.Errorf("%+v, %v", tokens, err)
	}
}

// TestAuditOfAccess: signing in and out and refused credentials are in the audit log, summed up, with the address; and so
// is its export.
func TestAuditOfAccess(t *testing.T) {
	s := open(t, Options{})
	secret, err := s.AddOwner(t.Context(), "Anna")
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, form, cookie, bearer string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Authorization", bearer)
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	for range 15 {
		post("/sign-in", "token=wrong", "", "")
		post("/api/v1/tokens", "{}", "", "Bearer wrong")
	}
	post("/api/v1/tokens", "{}", "", "") // without a token
	post("/join/wrong", "", "", "")
	cookie := signIn(t, s, secret)
	file := get(t, s, "/audit.csv", cookie)
	post("/sign-out", "", cookie, "")
	entries, err := s.store.Entries(t.Context(), math.MaxInt64, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, strings.TrimSpace(e.By+" "+e.Operation+" "+e.Detail))
		if known := e.Token == access.Hash(secret)[:8]; known != (e.By == "Anna") {
			t.Errorf("the token of %v", e)
		}
	}
	want := []string{
		"Anna sign-out", "Anna export-audit csv", "Anna sign-in from 192.0.2.1",
		"invitation-refused from 192.0.2.1, 1 refusal within an hour",
		"token-refused from 192.0.2.1, 10 refusals within an hour", "sign-in-refused from 192.0.2.1, 10 refusals within an hour",
		"token-refused from 192.0.2.1, 1 refusal within an hour", "sign-in-refused from 192.0.2.1, 1 refusal within an hour",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the entries are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if lines := strings.Split(file.Body.String(), "\n"); len(lines) != 9 || !strings.HasPrefix(lines[0], "number,at,by,token") ||
		!strings.Contains(lines[2], ",Anna,"+access.Hash(secret)[:8]+",sign-in,,from 192.0.2.1") {
		t.Errorf("the file is\n%s", file.Body)
	}
}
