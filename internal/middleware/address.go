package middleware

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

type addressKey struct{}

// Address determines the client address of a request. Behind trusted proxies it is the last address in
// X-Forwarded-For that is not a trusted proxy; other peers' X-Forwarded-For is ignored.
func Address(trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from := callerOf(r, trusted)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), addressKey{}, from)))
		})
	}
}

// AddressOf returns the client address of the request of a context. It is invalid outside [Address].
func AddressOf(ctx context.Context) netip.Addr {
	from, _ := ctx.Value(addressKey{}).(netip.Addr)
	return from
}

// peerOf returns the address of the connection: of the client, or of a proxy.
func peerOf(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return parseAddress(host)
}

func callerOf(r *http.Request, trusted []netip.Prefix) netip.Addr {
	from := peerOf(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && contains(trusted, from); i-- {
		before := parseAddress(hops[i])
		if !before.IsValid() {
			break
		}
		from = before
	}
	return from
}

func parseAddress(text string) netip.Addr {
	address, err := netip.ParseAddr(strings.TrimSpace(text))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	for _, p := range prefixes {
		if address.IsValid() && p.Contains(address) {
			return true
		}
	}
	return false
}

// Untrusted logs a warning when a proxy that is not trusted forwards requests: a peer on this machine or
// in a private network that sends X-Forwarded-For. It warns once, about the first peer.
func Untrusted(trusted []netip.Prefix, log *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		var once sync.Once
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Forwarded-For") != "" {
				if peer := peerOf(r); (peer.IsLoopback() || peer.IsPrivate()) && !contains(trusted, peer) {
					once.Do(func() {
						log.Warn(
							"requests arrive with X-Forwarded-For from "+peer.String()+", which --trust does not name: "+
								"their addresses and rate limits are those of the proxy",
							"proxy", peer.String(),
						)
					})
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
