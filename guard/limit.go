package guard

import (
	"net/http"
	"net/netip"
	"time"
)

// Limit lets an address send requests as often as a limiter allows, and refuses others. This machine's own
// addresses are not limited: a proxy that runs here and is not told to be trusted speaks for everybody.
func Limit(l *Limiter, clock func() time.Time, refuse func(w http.ResponseWriter, r *http.Request, wait time.Duration)) Layer {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from := AddressOf(r.Context())
			if ok, wait := l.Allow(network(from), clock()); !ok && !from.IsLoopback() {
				refuse(w, r, wait)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// network is what counts as one caller: an IPv4 address, or the /64 that one household or server has of
// IPv6.
func network(a netip.Addr) string {
	if a.Is6() {
		if prefix, err := a.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return a.String()
}
