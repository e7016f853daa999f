package middleware

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
)

// Untrusted logs a warning when a proxy that is not trusted forwards requests: a peer on this machine or
// in a private network that sends X-Forwarded-For. It warns once, about the first peer.
func Untrusted(trusted []netip.Prefix, log *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		var once sync.Once
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Forwarded-For") != "" {
				if peer := peerOf(r); (peer.IsLoopback() || peer.IsPrivate()) && !contains(trusted, peer) {
					once.Do(func() {
						log.Warn("requests arrive with X-Forwarded-For from "+peer.String()+", which --trust does not name: their addresses and rate limits are those of the proxy", "proxy", peer.String())
					})
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
