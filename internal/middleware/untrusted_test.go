package middleware

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestUntrusted: a proxy nearby that is not trusted is reported once. Clients elsewhere can send any header.
func TestUntrusted(t *testing.T) {
	for name, test := range map[string]struct {
		remote, said string
		trusted      string
		want         int
	}{
		"a proxy on this machine":       {"127.0.0.1:1", "198.51.100.1", "10.0.0.0/8", 1},
		"a proxy on this machine, IPv6": {"[::1]:1", "198.51.100.1", "10.0.0.0/8", 1},
		"a proxy in the network":        {"10.0.0.1:1", "198.51.100.1", "127.0.0.1/32", 1},
		"a trusted proxy":               {"10.0.0.1:1", "198.51.100.1", "10.0.0.0/8", 0},
		"a client elsewhere":            {"203.0.113.9:1", "198.51.100.1", "10.0.0.0/8", 0},
		"no header":                     {"127.0.0.1:1", "", "10.0.0.0/8", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			served := 0
			handler := Untrusted([]netip.Prefix{netip.MustParsePrefix(test.trusted)}, slog.New(slog.NewTextHandler(&log, nil)))(
				http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
			for range 3 {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
				r.RemoteAddr = test.remote
				if test.said != "" {
					r.Header.Set("X-Forwarded-For", test.said)
				}
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
			if got := strings.Count(log.String(), "--trust does not name"); got != test.want || served != 3 {
				t.Errorf("%d warnings, %d requests served:\n%s", got, served, &log)
			}
		})
	}
}
