// Package middleware is the HTTP middleware of the service: client addresses behind proxies, rate limits, deadlines,
// security headers, protection against cross-origin requests, and request IDs in the log.
package middleware

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Chain wraps a handler in middleware, the first outermost.
func Chain(handler http.Handler, chain ...Middleware) http.Handler {
	for _, middleware := range slices.Backward(chain) {
		handler = middleware(handler)
	}
	return handler
}

// Policy configures [Headers].
type Policy struct {
	// Secure enables HSTS. Set it if clients use TLS, here or at a proxy.
	Secure bool

	// Frames are the origins that may embed pages in a frame. Defaults to none.
	Frames []string
}

// Headers sets security headers: a content security policy that allows only resources of this origin and nothing
// inline, no embedding in frames of other sites, and no referrer to other sites.
func Headers(p Policy) Middleware {
	frames := "'none'"
	if len(p.Frames) > 0 {
		frames = strings.Join(p.Frames, " ")
	}
	policy := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; " +
		"font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " + frames
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Security-Policy", policy)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Referrer-Policy", "same-origin")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
			if len(p.Frames) == 0 {
				h.Set("X-Frame-Options", "DENY")
			}
			if p.Secure {
				h.Set("Strict-Transport-Security", "max-age=31536000")
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Bearer returns the token of an Authorization header, or "" if there is none.
func Bearer(header string) (token string) {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return token
}

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
