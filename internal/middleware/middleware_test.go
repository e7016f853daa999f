package middleware

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
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
	if policy := strict.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") ||
		strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
	if strict.Get("X-Frame-Options") != "DENY" || strict.Get("X-Content-Type-Options") != "nosniff" ||
		strict.Get("Strict-Transport-Security") != "" {
		t.Error(strict)
	}
	framed := get(Policy{Secure: true, Frames: []string{"https://a.example", "https://b.example"}})
	if !strings.HasSuffix(framed.Get("Content-Security-Policy"), "frame-ancestors https://a.example https://b.example") ||
		framed.Get("X-Frame-Options") != "" {
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
	for given, kept := range map[string]bool{
		"trace-1.2_3": true, "": false, "a b": false, "a\nb": false,
		strings.Repeat("x", 65): false,
	} {
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
		if strings.Contains(line, "secret") || !strings.Contains(line, "status=418") ||
			!strings.Contains(line, "route=/things/{thing}") || !strings.Contains(line, id) {
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
	handler := Log(slog.New(slog.DiscardHandler),
		func(_, _ string, status int, _ time.Duration) { counted = append(counted, status) })(failing)
	for range 2 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		leave()
	}
	if want := []int{http.StatusServiceUnavailable, 499}; !slices.Equal(counted, want) {
		t.Errorf("counted %v, want %v", counted, want)
	}
}

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
		"nonsense":              {"10.0.0.1:1", []string{"198.51.100.1, unknown"}, "invalid IP"},
		"a port":                {"10.0.0.1:1", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		"IPv6 with a port":      {"10.0.0.1:1", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		"IPv6 in brackets":      {"10.0.0.1:1", []string{"[2001:db8::1]"}, "2001:db8::1"},
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

func TestBearer(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer abc": "abc", "bearer abc": "abc", "BEARER a b": "a b",
		"": "", "Bearer": "", "Bearer ": "", "abc": "", "Basic abc": "", "Bearerabc": "", " Bearer abc": "",
	} {
		if got := Bearer(header); got != want {
			t.Errorf("%q shows %q, want %q", header, got, want)
		}
	}
}

// TestCORS: only pages of allowed origins can read replies, and only under the prefix.
func TestCORS(t *testing.T) {
	const allowed = "https://shop.example"
	for name, test := range map[string]struct {
		origins []string
		method  string
		path    string
		headers []string
		allowed string // the origin in the reply
		served  bool   // the request reaches the handler
	}{
		"a page of the origin": {[]string{allowed}, http.MethodPost, "/api/x", []string{"Origin", allowed}, allowed, true},
		"an origin in capitals": {
			[]string{"https://Shop.example"},
			http.MethodPost, "/api/x",
			[]string{"Origin", allowed},
			allowed, true,
		},
		"a preflight": {
			[]string{allowed},
			http.MethodOptions, "/api/x",
			[]string{"Origin", allowed, "Access-Control-Request-Method", "POST"},
			allowed, false,
		},
		"OPTIONS without a method": {[]string{allowed}, http.MethodOptions, "/api/x", []string{"Origin", allowed}, allowed, true},
		"all origins":              {[]string{"*"}, http.MethodGet, "/api/x", []string{"Origin", allowed}, allowed, true},
		"another origin": {
			[]string{allowed},
			http.MethodPost, "/api/x",
			[]string{"Origin", "https://evil.example"},
			"", true,
		},
		"a preflight of another": {
			[]string{allowed},
			http.MethodOptions, "/api/x",
			[]string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"},
			"", true,
		},
		"an origin that begins so": {
			[]string{allowed},
			http.MethodPost, "/api/x",
			[]string{"Origin", allowed + ".evil.example"},
			"", true,
		},
		"a frame without an origin": {[]string{allowed}, http.MethodPost, "/api/x", []string{"Origin", "null"}, "", true},
		"a program":                 {[]string{allowed}, http.MethodPost, "/api/x", nil, "", true},
		"a page, not the API":       {[]string{allowed}, http.MethodPost, "/studies/x", []string{"Origin", allowed}, "", true},
		"a preflight without origins": {
			nil, http.MethodOptions, "/api/x",
			[]string{"Origin", allowed, "Access-Control-Request-Method", "POST"},
			"", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, nil)
			for i := 0; i < len(test.headers); i += 2 {
				r.Header.Set(test.headers[i], test.headers[i+1])
			}
			served := false
			w := httptest.NewRecorder()
			CORS(Origins{test.origins, "/api/"})(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true })).ServeHTTP(w,
				r)
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != test.allowed || served != test.served {
				t.Errorf("allowed %q and served %v, want %q and %v", got, served, test.allowed, test.served)
			}
			if !served && (w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Headers") == "") {
				t.Errorf("the preflight got %d %v", w.Code, w.Header())
			}
			if w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Error("cookies are allowed")
			}
		})
	}
}

// TestGoneAfterAll: requests that finish before the client leaves keep their status.
func TestGoneAfterAll(t *testing.T) {
	var counted []int
	want := []int{http.StatusOK, http.StatusSeeOther, http.StatusNotFound, http.StatusTooManyRequests}
	for _, status := range want {
		ctx, leave := context.WithCancel(t.Context())
		handler := Log(slog.New(slog.DiscardHandler),
			func(_, _ string, status int, _ time.Duration) { counted = append(counted, status) })(
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				leave()
			}))
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	}
	if !slices.Equal(counted, want) {
		t.Errorf("counted %v, want %v", counted, want)
	}
}

// TestWatch: the status is that which is sent, or 200, and what is below can still be reached, such as to flush.
func TestWatch(t *testing.T) {
	below := httptest.NewRecorder()
	watched := Watch(below)
	if watched.Status != http.StatusOK {
		t.Errorf("before anything is sent the status is %d", watched.Status)
	}
	watched.WriteHeader(http.StatusTeapot)
	if err := http.NewResponseController(watched).Flush(); err != nil || !below.Flushed || below.Code != http.StatusTeapot ||
		watched.Status != http.StatusTeapot {
		t.Errorf("flushed %v (%v), %d was sent, %d is remembered", below.Flushed, err, below.Code, watched.Status)
	}
}

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
		{"unknown", 200}, // all without a valid address share one limit
		{"garbage", 200},
		{"unknown", 429},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = step.from
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != step.status {
			t.Errorf("%s: %d, want %d", step.from, w.Code, step.status)
		}
	}
	if served != 11 {
		t.Errorf("%d were served", served)
	}
}

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
		"a program":                {},
		"a program that deletes":   {method: http.MethodDelete},
		"our own page":             {headers: []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://" + host}},
		"our own page without TLS": {headers: []string{"Origin", "http://" + host}},
		"our own page at a port":   {host: host + ":8080", headers: []string{"Origin", "http://" + host + ":8080"}},
		"a bookmark":               {headers: []string{"Sec-Fetch-Site", "none"}},
		"another site":             {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", other}, refused: true},
		"another site that names us": {
			headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://" + host},
			refused: true,
		},
		"a neighbour": {headers: []string{
			"Sec-Fetch-Site", "same-site", "Origin",
			"https://www.pick.example",
		}, refused: true},
		"another port": {
			host: host + ":8080", headers: []string{"Origin", "http://" + host + ":8081"},
			refused: true,
		},
		"an old browser":                    {headers: []string{"Origin", other}, refused: true},
		"a frame without an origin":         {headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, refused: true},
		"an old browser, without an origin": {headers: []string{"Origin", "null"}, refused: true},
		"PUT": {
			method: http.MethodPut, headers: []string{"Sec-Fetch-Site", "cross-site"},
			refused: true,
		},
		"PATCH": {
			method: http.MethodPatch, headers: []string{"Sec-Fetch-Site", "cross-site"},
			refused: true,
		},
		"DELETE": {
			method: http.MethodDelete, headers: []string{"Sec-Fetch-Site", "cross-site"},
			refused: true,
		},
		"a link from another site": {method: http.MethodGet, headers: []string{"Sec-Fetch-Site", "cross-site"}},
		"an allowed origin, but a page": {
			headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example"},
			refused: true,
		},
		"an allowed origin": {
			path:    "/api/v1/studies",
			headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example"},
		},
		"another origin at the API": {
			path:    "/api/v1/studies",
			headers: []string{"Sec-Fetch-Site", "cross-site", "Origin", other}, refused: true,
		},
		"a token": {headers: []string{
			"Sec-Fetch-Site", "cross-site", "Origin", other, "Authorization",
			"bearer x",
		}},
		"no token": {headers: []string{
			"Sec-Fetch-Site", "cross-site", "Origin", other, "Authorization",
			"Bearer ",
		}, refused: true},
		"a password": {headers: []string{
			"Sec-Fetch-Site", "cross-site", "Origin", other, "Authorization",
			"Basic eDp5",
		}, refused: true},
		"TLS at a proxy": {
			remote:  proxy,
			headers: []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://" + host},
		},
		"a proxy that keeps the host": {
			remote:  proxy,
			headers: []string{"Origin", "https://" + host, "X-Forwarded-Proto", "https"},
		},
		"a proxy that asks in its own name": {
			remote: proxy, host: "127.0.0.1:8080",
			headers: []string{"Origin", "https://" + host, "X-Forwarded-Host", host},
		},
		"two proxies": {
			remote: proxy, host: "inner:80",
			headers: []string{"Origin", "https://" + host, "X-Forwarded-Host", host + ", outer"},
		},
		"another site through a proxy": {
			remote: proxy, host: "127.0.0.1:8080",
			headers: []string{"Origin", other, "X-Forwarded-Host", host}, refused: true,
		},
		"a proxy that does not tell": {
			remote: proxy, host: "127.0.0.1:8080",
			headers: []string{"Origin", "https://" + host}, refused: true,
		},
		"a host from an untrusted peer": {
			headers: []string{"Origin", other, "X-Forwarded-Host", "evil.example"},
			refused: true,
		},
		"a proxy, and a browser that knows more": {
			remote: proxy, host: "127.0.0.1:8080",
			headers: []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://" + host},
		},
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
			SameOrigin([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Origins{[]string{"https://shop.example"}, "/api/"},
				func(http.ResponseWriter) { refused = true })(next).
				ServeHTTP(httptest.NewRecorder(), r)
			if refused != test.refused || served == refused {
				t.Errorf("refused: %v, served: %v; %s", refused, served, strings.Join(test.headers, " "))
			}
		})
	}
}
