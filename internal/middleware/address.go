package middleware

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
)

type addressKey struct{}

// Address determines the client address of a request. Behind trusted proxies it is the last address in
// X-Forwarded-For that is not a trusted proxy, with or without a port, and invalid if that is no address; other peers'
// X-Forwarded-For is ignored.
func Address(trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(WithAddress(r.Context(), callerOf(r, trusted))))
		})
	}
}

// WithAddress returns the context of a request from an address.
func WithAddress(ctx context.Context, from netip.Addr) context.Context {
	return context.WithValue(ctx, addressKey{}, from)
}

// AddressOf returns the client address of the request of a context. It is invalid outside [Address].
func AddressOf(ctx context.Context) netip.Addr {
	from, _ := ctx.Value(addressKey{}).(netip.Addr)
	return from
}

type userKey struct{}

// User takes the name of a user from a header that trusted proxies set. The header of other peers is ignored, and an empty
// header is that of no user.
func User(trusted []netip.Prefix, header string) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if values := r.Header.Values(header); header != "" && len(values) == 1 && contains(trusted, peerOf(r)) {
				r = r.WithContext(context.WithValue(r.Context(), userKey{}, strings.TrimSpace(values[0])))
			}
			next.ServeHTTP(w, r)
		})
	}
}

// UserOf returns the name of the user that a trusted proxy vouches for, or "".
func UserOf(ctx context.Context) string {
	name, _ := ctx.Value(userKey{}).(string)
	return name
}

// NetworkOf returns the network of the client of a context: the first 24 bits of an IPv4 address, or 64 of an IPv6 address.
// All clients without a valid address share one. It is empty outside [Address].
func NetworkOf(ctx context.Context) string {
	from, known := ctx.Value(addressKey{}).(netip.Addr)
	if !known {
		return ""
	}
	bits := 24
	if from.Is6() {
		bits = 64
	}
	prefix, _ := from.Prefix(bits)
	return prefix.String()
}

// peerOf returns the address of the connection: of the client, or of a proxy.
func peerOf(r *http.Request) netip.Addr {
	return parseAddress(r.RemoteAddr)
}

func callerOf(r *http.Request, trusted []netip.Prefix) netip.Addr {
	from := peerOf(r)
	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	if strings.TrimSpace(forwarded) == "" {
		return from
	}
	hops := strings.Split(forwarded, ",")
	for i := len(hops) - 1; i >= 0 && contains(trusted, from); i-- {
		from = parseAddress(hops[i])
	}
	return from
}

// parseAddress reads an address with or without a port. It is invalid if the text is neither.
func parseAddress(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone("")
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
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

// ErrNotPublic is returned for addresses that are not on the public internet.
var ErrNotPublic = errors.New("the address is not public")

// NewClient returns a client for addresses that users name. It follows no redirects and uses no
// proxy, which might reach private networks. With private, it connects to any address.
func NewClient(private bool) *http.Client {
	dialer := &net.Dialer{}
	if !private {
		dialer.Control = onlyPublic
	}
	const headers = 16 << 10 // bytes
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: headers},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// specialNetworks returns the networks, besides the private ones, that have no public hosts but may have
// services of a machine or a cloud: shared address space, benchmarks, documentation, reserved
// blocks, and IPv6 prefixes that embed an IPv4 address (compatible, translated, NAT64, Teredo,
// 6to4).
func specialNetworks() []netip.Prefix {
	var networks []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
		"3fff::/20", "5f00::/16", "fec0::/10",
	} {
		networks = append(networks, netip.MustParsePrefix(text))
	}
	return networks
}

// Public reports whether an address is on the public internet.
func Public(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	return address.IsGlobalUnicast() && !address.IsPrivate() &&
		!slices.ContainsFunc(specialNetworks(), func(network netip.Prefix) bool { return network.Contains(address) })
}

// onlyPublic rejects connections to addresses that are not public. The dialer calls it after it
// resolves a name, so no name can lead to a private network.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || !Public(target.Addr()) {
		return ErrNotPublic
	}
	return nil
}
