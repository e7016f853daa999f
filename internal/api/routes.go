package api

import (
	"net/http"
	"strings"

	"bestpick/wire"
)

// routes serves what the multiplexer knows, and tells a problem about the rest.
func routes(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if strings.HasPrefix(r.URL.Path, Prefix+"/") {
			w.Header().Set("Cache-Control", "no-store")
		}
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		noRoute(w, r, mux)
	})
}

// noRoute tells that there is nothing at an address, or nothing of that method.
func noRoute(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	said := unsent{}
	mux.ServeHTTP(said, r)
	told := problem(http.StatusNotFound, wire.NotFound, "there is nothing at this address")
	if allowed := said.Header().Get("Allow"); allowed != "" {
		w.Header().Set("Allow", allowed)
		told = problem(http.StatusMethodNotAllowed, "", "this address knows "+allowed+" only")
	}
	tell(w, told)
}

// An unsent reply goes to nobody. It is its header.
type unsent http.Header

func (u unsent) Header() http.Header            { return http.Header(u) }
func (u unsent) Write(text []byte) (int, error) { return len(text), nil }
func (u unsent) WriteHeader(int)                {}
