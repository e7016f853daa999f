package guard

import (
	"net/http"
	"net/netip"
	"strings"
)

// SameOrigin refuses what pages of other sites make a visitor's browser send to change something here: the browser
// would send along what the visitor is known by. Browsers say where a request comes from, in Sec-Fetch-Site or at
// least in Origin, and pages cannot change that; a request that says neither is not from a page. Whoever shows a
// token in a header is let through: no page of another site can make a browser send one.
//
// Origin is compared with Host, or with X-Forwarded-Host where a proxy that is trusted says it.
func SameOrigin(trusted []netip.Prefix, refuse func(w http.ResponseWriter)) Layer {
	protection := http.NewCrossOriginProtection()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if Bearer(r.Header.Get("Authorization")) == "" && protection.Check(asAddressed(r, trusted)) != nil {
				refuse(w)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// asAddressed is a request with the host that the browser has asked, as far as a proxy that is trusted tells.
func asAddressed(r *http.Request, trusted []netip.Prefix) *http.Request {
	said := r.Header.Get("X-Forwarded-Host")
	if said == "" || !contains(trusted, peerOf(r)) {
		return r
	}
	first, _, _ := strings.Cut(said, ",") // proxies add theirs behind it
	forwarded := *r
	forwarded.Host = strings.TrimSpace(first)
	return &forwarded
}
