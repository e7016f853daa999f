package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/browser"
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
	wildcard := regexp.MustCompile(`\{[^}]*\}`)
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
				"X-Nobody: x": 45 * time.Second,
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
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.Prefix+"/sign-in", strings.NewReader(url.Values{"token": {secret}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	s.ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther || len(w.Result().Cookies()) == 0 {
		t.Fatalf("signing in: %d %v", w.Code, w.Header())
	}
	cookie := w.Result().Cookies()[0]
	return cookie.Name + "=" + cookie.Value
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
	s, err := New(t.Context(), filepath.Join(t.TempDir(), "studies.db"), o)
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
