package middleware

import (
	"net/http"
	"net/netip"
	"time"
)

// Limit applies a rate limit per client address, reports it in the headers of replies, and calls refuse for requests
// that exceed it. Loopback addresses are
// not limited: they may belong to a local proxy that is not configured as trusted.
func Limit(l *Limiter, clock func() time.Time, refuse func(w http.ResponseWriter, r *http.Request, wait time.Duration)) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from := AddressOf(r.Context())
			if from.IsLoopback() {
				next.ServeHTTP(w, r)
				return
			}
			now := clock()
			ok, wait := l.Allow(network(from), now)
			addHeaders(w, l.Quota("address", network(from), now))
			if !ok {
				refuse(w, r, wait)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// network returns the key of the rate limit: the IPv4 address, or the /64 prefix of an IPv6 address.
func network(a netip.Addr) string {
	if a.Is6() {
		if prefix, err := a.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return a.String()
}
