package middleware

import (
	"net/http"
	"net/netip"
	"strings"
)

// SameOrigin protects against cross-site request forgery: it refuses requests with unsafe methods whose Sec-Fetch-Site
// or Origin header names another site. Requests with neither header do not come from a browser. Requests with a bearer
// token pass: pages of other sites cannot send one. So do requests that origins allows, which use no cookies.
//
// Origin is compared with Host, or with the X-Forwarded-Host of a trusted proxy.
func SameOrigin(trusted []netip.Prefix, origins Origins, refuse func(w http.ResponseWriter)) Middleware {
	protection := http.NewCrossOriginProtection()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if Bearer(r.Header.Get("Authorization")) == "" && !origins.allows(r) && protection.Check(asAddressed(r, trusted)) != nil {
				refuse(w)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// asAddressed returns a request with the host that the browser used, according to a trusted proxy.
func asAddressed(r *http.Request, trusted []netip.Prefix) *http.Request {
	forwardedHost := r.Header.Get("X-Forwarded-Host")
	if forwardedHost == "" || !contains(trusted, peerOf(r)) {
		return r
	}
	first, _, _ := strings.Cut(forwardedHost, ",") // later proxies append theirs
	forwarded := *r
	forwarded.Host = strings.TrimSpace(first)
	return &forwarded
}
