package middleware

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHeaders: only listed origins may frame our pages; Strict-Transport-Security is set only with TLS.
func TestHeaders(t *testing.T) {
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	get := func(p Policy) http.Header {
		w := httptest.NewRecorder()
		Headers(p)(nothing).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		return w.Header()
	}
	strict := get(Policy{})
	if policy := strict.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
	if strict.Get("X-Frame-Options") != "DENY" || strict.Get("X-Content-Type-Options") != "nosniff" || strict.Get("Strict-Transport-Security") != "" {
		t.Error(strict)
	}
	framed := get(Policy{Secure: true, Frames: []string{"https://a.example", "https://b.example"}})
	if !strings.HasSuffix(framed.Get("Content-Security-Policy"), "frame-ancestors https://a.example https://b.example") || framed.Get("X-Frame-Options") != "" {
		t.Error(framed)
	}
	if framed.Get("Strict-Transport-Security") == "" {
		t.Error("Strict-Transport-Security is missing")
	}
}

// TestLog: a request has an id, in the reply and in the log, and the log has nothing that may be secret.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	id := ""
	mux := http.NewServeMux()
	mux.HandleFunc("GET /things/{thing}", func(w http.ResponseWriter, r *http.Request) {
		id = RequestOf(r.Context())
		w.WriteHeader(http.StatusTeapot)
	})
	counted := 0
	handler := Chain(mux, Address(nil), Log(log, func(method, route string, status int, took time.Duration) {
		if method == http.MethodGet && route == "/things/{thing}" && status == http.StatusTeapot && took > 0 {
			counted++
		}
	}))
	for given, kept := range map[string]bool{"trace-1.2_3": true, "": false, "a b": false, "a\nb": false, strings.Repeat("x", 65): false} {
		out.Reset()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/things/secret?token=secret", strings.NewReader("secret"))
		r.Header.Set("Authorization", "Bearer secret")
		r.Header["X-Request-Id"] = []string{given}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Header().Get("X-Request-Id") != id || (id == given) != kept || id == "" {
			t.Errorf("id %q became %q", given, id)
		}
		line := out.String()
		if strings.Contains(line, "secret") || !strings.Contains(line, "status=418") || !strings.Contains(line, "route=/things/{thing}") || !strings.Contains(line, id) {
			t.Error(line)
		}
	}
	if counted != 5 {
		t.Errorf("%d requests were counted", counted)
	}
}

// TestGone: a failure after the client has gone is not counted as a server error.
func TestGone(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	failing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	var counted []int
	handler := Log(slog.New(slog.DiscardHandler), func(_, _ string, status int, _ time.Duration) { counted = append(counted, status) })(failing)
	for range 2 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		leave()
	}
	if want := []int{http.StatusServiceUnavailable, 499}; !slices.Equal(counted, want) {
		t.Errorf("counted %v, want %v", counted, want)
	}
}
