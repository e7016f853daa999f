package middleware

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestLimit: an address that comes too often is refused, and so are its neighbours in IPv6; others are not,
// nor is this machine.
func TestLimit(t *testing.T) {
	now := time.Unix(1000, 0)
	served := 0
	handler := Chain(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), Address(nil),
		Limit(NewLimiter(1, 2), func() time.Time { return now }, func(w http.ResponseWriter, _ *http.Request, wait time.Duration) {
			if wait != time.Second {
				t.Errorf("to wait for %v", wait)
			}
			w.WriteHeader(http.StatusTooManyRequests)
		}))
	for _, step := range []struct {
		from   string
		status int
	}{
		{"192.0.2.7:1", 200},
		{"192.0.2.7:2", 200},
		{"192.0.2.7:3", 429},
		{"192.0.2.8:1", 200},
		{"[2001:db8::1]:1", 200},
		{"[2001:db8::2]:1", 200},
		{"[2001:db8::3]:1", 429},
		{"[2001:db8:0:1::1]:1", 200},
		{"127.0.0.1:1", 200},
		{"127.0.0.1:1", 200},
		{"127.0.0.1:1", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = step.from
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != step.status {
			t.Errorf("%s: %d, want %d", step.from, w.Code, step.status)
		}
	}
	if served != 9 {
		t.Errorf("%d were served", served)
	}
}
