package guard

import (
	"net/http"
	"net/netip"
	"strings"
)

// SameOrigin protects against cross-site request forgery: it refuses state-changing requests that a page of
// another origin makes a browser send, with the visitor's cookies. Browsers send Sec-Fetch-Site or Origin,
// which pages cannot forge; a request with neither does not come from a page. Requests with a bearer token
// pass, because a page of another site cannot make a browser send one.
//
// Origin is compared with Host, or with X-Forwarded-Host of a trusted proxy.
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

// asAddressed returns the request with the host that the browser addressed, according to a trusted proxy.
func asAddressed(r *http.Request, trusted []netip.Prefix) *http.Request {
	said := r.Header.Get("X-Forwarded-Host")
	if said == "" || !contains(trusted, peerOf(r)) {
		return r
	}
	first, _, _ := strings.Cut(said, ",") // proxies append their own
	forwarded := *r
	forwarded.Host = strings.TrimSpace(first)
	return &forwarded
}
