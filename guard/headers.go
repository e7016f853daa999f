package guard

import (
	"net/http"
	"strings"
)

// Policy says what browsers may do.
type Policy struct {
	// Secure says that the service is reached by TLS, here or at a proxy. Browsers then insist on it.
	Secure bool

	// Frames are the origins of pages that may show a page of ours in a frame. Default none.
	Frames []string
}

// Headers makes browsers careful: nothing but what comes from here is loaded or run, nothing inline,
// nobody else puts our pages into theirs, and nobody is told where a visitor came from.
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
