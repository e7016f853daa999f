// Package middleware is the HTTP middleware of the service: client addresses behind proxies, rate limits, deadlines,
// security headers, protection against cross-origin requests, and request IDs in the log.
package middleware

import (
	"net/http"
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
