package middleware

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Origins are the origins whose pages may use the paths under a prefix, with JavaScript.
type Origins struct {
	Allowed []string // such as https://example.com; * allows all
	Prefix  string
}

// allows reports whether a request comes from a page of an allowed origin.
func (o Origins) allows(r *http.Request) bool {
	from := r.Header.Get("Origin")
	return from != "" && strings.HasPrefix(r.URL.Path, o.Prefix) &&
		slices.ContainsFunc(o.Allowed, func(allowed string) bool { return allowed == "*" || strings.EqualFold(allowed, from) })
}

// The headers of cross-origin requests and replies.
const (
	sentHeaders    = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"
	exposedHeaders = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
	preflightAge   = "600" // seconds
)

// CORS lets pages of allowed origins read replies, and answers their preflight requests. Requests carry
// no cookies.
func CORS(o Origins) Middleware {
	return func(next http.Handler) http.Handler {
		if len(o.Allowed) == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			if strings.HasPrefix(r.URL.Path, o.Prefix) {
				h.Add("Vary", "Origin")
			}
			if !o.allows(r) {
				next.ServeHTTP(w, r)
				return
			}
			h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
			h.Set("Access-Control-Expose-Headers", exposedHeaders)
			h.Set("Cross-Origin-Resource-Policy", "cross-origin")
			if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
				next.ServeHTTP(w, r)
				return
			}
			h.Add("Vary", "Access-Control-Request-Method")
			h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
			h.Set("Access-Control-Allow-Headers", sentHeaders)
			h.Set("Access-Control-Max-Age", preflightAge)
			w.WriteHeader(http.StatusNoContent)
		})
	}
}

// SameOrigin protects against cross-site request forgery: it refuses requests with unsafe methods whose Sec-Fetch-Site
// or Origin header names another site. Requests with neither header do not come from a browser. Requests with a bearer
// token pass: pages of other sites cannot send one. So do requests that origins allows, which use no cookies.
//
// Origin is compared with Host, or with the X-Forwarded-Host of a trusted proxy.
func SameOrigin(trusted []netip.Prefix, origins Origins, refuse func(w http.ResponseWriter)) Middleware {
	protection := http.NewCrossOriginProtection()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if Bearer(r.Header.Get("Authorization")) == "" && !origins.allows(r) && protection.Check(asAddressed(r, trusted)) != nil {
				refuse(w)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// asAddressed returns a request with the host that the browser used, according to a trusted proxy.
func asAddressed(r *http.Request, trusted []netip.Prefix) *http.Request {
	forwardedHost := r.Header.Get("X-Forwarded-Host")
	if forwardedHost == "" || !contains(trusted, peerOf(r)) {
		return r
	}
	first, _, _ := strings.Cut(forwardedHost, ",") // later proxies append theirs
	forwarded := *r
	forwarded.Host = strings.TrimSpace(first)
	return &forwarded
}
