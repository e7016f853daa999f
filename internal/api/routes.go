package api

import (
	"net/http"
	"strings"

	"bestpick/wire"
)

// routes serves the routes of the multiplexer, and replies with a problem for other paths and
// methods.
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

// noRoute replies with 404, or with 405 if the path has other methods.
func noRoute(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	said := unsent{}
	mux.ServeHTTP(said, r)
	told := problem(http.StatusNotFound, wire.NotFound, "unknown path")
	if allowed := said.Header().Get("Allow"); allowed != "" {
		w.Header().Set("Allow", allowed)
		told = problem(http.StatusMethodNotAllowed, "", "the method must be one of "+allowed)
	}
	tell(w, told)
}

// An unsent is a ResponseWriter that keeps only the header.
type unsent http.Header

func (u unsent) Header() http.Header            { return http.Header(u) }
func (u unsent) Write(text []byte) (int, error) { return len(text), nil }
func (u unsent) WriteHeader(int)                {}
