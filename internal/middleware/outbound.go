package middleware

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
)

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
