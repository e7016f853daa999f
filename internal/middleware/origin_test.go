package middleware

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestSameOrigin: only pages of other sites are refused.
func TestSameOrigin(t *testing.T) {
	const host, other, proxy = "pick.example", "https://evil.example", "10.0.0.1:1"
	for name, test := range map[string]struct {
		method  string // default POST
		path    string // default /
		remote  string // default not a proxy
		host    string // default the one that browsers ask
		headers []string
		refused bool
	}{
		"a program":                              {},
		"a program that deletes":                 {method: http.MethodDelete},
		"our own page":                           {headers: []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://" + host}},
		"our own page without TLS":               {headers: []string{"Origin", "http://" + host}},
		"our own page at a port":                 {host: host + ":8080", headers: []string{"Origin", "http://" + host + ":8080"}},
		"a bookmark":                             {headers: []string{"Sec-Fetch-Site", "none"}},
		"another site":                           {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", other}, refused: true},
		"another site that names us":             {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://" + host}, refused: true},
		"a neighbour":                            {headers: []string{"Sec-Fetch-Site", "same-site", "Origin", "https://www.pick.example"}, refused: true},
		"another port":                           {host: host + ":8080", headers: []string{"Origin", "http://" + host + ":8081"}, refused: true},
		"an old browser":                         {headers: []string{"Origin", other}, refused: true},
		"a frame without an origin":              {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, refused: true},
		"an old browser, without an origin":      {headers: []string{"Origin", "null"}, refused: true},
		"PUT":                                    {method: http.MethodPut, headers: []string{"Sec-Fetch-Site", "cross-site"}, refused: true},
		"PATCH":                                  {method: http.MethodPatch, headers: []string{"Sec-Fetch-Site", "cross-site"}, refused: true},
		"DELETE":                                 {method: http.MethodDelete, headers: []string{"Sec-Fetch-Site", "cross-site"}, refused: true},
		"a link from another site":               {method: http.MethodGet, headers: []string{"Sec-Fetch-Site", "cross-site"}},
		"an allowed origin, but a page":          {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example"}, refused: true},
		"an allowed origin":                      {path: "/api/v1/studies", headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example"}},
		"another origin at the API":              {path: "/api/v1/studies", headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", other}, refused: true},
		"a token":                                {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", other, "Authorization", "bearer x"}},
		"no token":                               {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", other, "Authorization", "Bearer "}, refused: true},
		"a password":                             {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", other, "Authorization", "Basic eDp5"}, refused: true},
		"TLS at a proxy":                         {remote: proxy, headers: []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://" + host}},
		"a proxy that keeps the host":            {remote: proxy, headers: []string{"Origin", "https://" + host, "X-Forwarded-Proto", "https"}},
		"a proxy that asks in its own name":      {remote: proxy, host: "127.0.0.1:8080", headers: []string{"Origin", "https://" + host, "X-Forwarded-Host", host}},
		"two proxies":                            {remote: proxy, host: "inner:80", headers: []string{"Origin", "https://" + host, "X-Forwarded-Host", host + ", outer"}},
		"another site through a proxy":           {remote: proxy, host: "127.0.0.1:8080", headers: []string{"Origin", other, "X-Forwarded-Host", host}, refused: true},
		"a proxy that does not tell":             {remote: proxy, host: "127.0.0.1:8080", headers: []string{"Origin", "https://" + host}, refused: true},
		"a host from an untrusted peer":          {headers: []string{"Origin", other, "X-Forwarded-Host", "evil.example"}, refused: true},
		"a proxy, and a browser that knows more": {remote: proxy, host: "127.0.0.1:8080", headers: []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://" + host}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.method == "" {
				test.method = http.MethodPost
			}
			r := httptest.NewRequestWithContext(t.Context(), test.method, cmp.Or(test.path, "/"), nil)
			r.Host, r.RemoteAddr = host, "192.0.2.7:1"
			if test.host != "" {
				r.Host = test.host
			}
			if test.remote != "" {
				r.RemoteAddr = test.remote
			}
			for i := 0; i < len(test.headers); i += 2 {
				r.Header.Set(test.headers[i], test.headers[i+1])
			}
			served, refused, asked := false, false, r.Host
			next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { served = r.Host == asked })
			SameOrigin([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Origins{[]string{"https://shop.example"}, "/api/"}, func(http.ResponseWriter) { refused = true })(next).
				ServeHTTP(httptest.NewRecorder(), r)
			if refused != test.refused || served == refused {
				t.Errorf("refused: %v, served: %v; %s", refused, served, strings.Join(test.headers, " "))
			}
		})
	}
}
