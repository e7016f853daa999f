package guard

import (
	"net/http"
	"strings"
)

// Policy configures the security headers.
type Policy struct {
	// Secure enables Strict-Transport-Security. Set it if clients reach the service over TLS.
	Secure bool

	// Frames are the origins that may embed our pages in a frame. Defaults to none.
	Frames []string
}

// Headers sets security headers: browsers load and run only resources of this origin, none of them inline,
// other sites cannot embed our pages, and links to other sites carry no referrer.
func Headers(p Policy) Layer {
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
