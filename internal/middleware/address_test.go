package middleware

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// TestAddress: only trusted proxies are believed, from the last one backwards.
func TestAddress(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for name, test := range map[string]struct {
		remote string
		said   []string
		want   string
	}{
		"directly":              {"192.0.2.7:1234", nil, "192.0.2.7"},
		"a liar":                {"192.0.2.7:1234", []string{"198.51.100.1"}, "192.0.2.7"},
		"one proxy":             {"10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		"two proxies":           {"10.0.0.1:1", []string{"198.51.100.1, 10.2.3.4"}, "198.51.100.1"},
		"two headers":           {"10.0.0.1:1", []string{"198.51.100.1", "10.2.3.4"}, "198.51.100.1"},
		"a liar before a proxy": {"10.0.0.1:1", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		"nonsense":              {"10.0.0.1:1", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		"nothing said":          {"10.0.0.1:1", nil, "10.0.0.1"},
		"IPv6":                  {"[::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		"mapped":                {"[::ffff:10.0.0.1]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr, r.Header["X-Forwarded-For"] = test.remote, test.said
			var got netip.Addr
			Address(trusted)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = AddressOf(r.Context()) })).
				ServeHTTP(httptest.NewRecorder(), r)
			if got.String() != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}
