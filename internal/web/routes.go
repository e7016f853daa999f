package web

import (
	"net/http"
	"slices"
)

// routes serve the pages, and remember where they are, so that a test can ask of each who may see it.
type routes struct {
	*http.ServeMux

	patterns []string
}

func newRoutes() *routes { return &routes{ServeMux: http.NewServeMux()} }

// Handle has a handler serve what a pattern matches.
func (r *routes) Handle(pattern string, handler http.Handler) {
	r.patterns = append(r.patterns, pattern)
	r.ServeMux.Handle(pattern, handler)
}

// HandleFunc does so with a function.
func (r *routes) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	r.Handle(pattern, http.HandlerFunc(handle))
}

// Routes returns the patterns of all pages, as [http.ServeMux] writes them.
func (p *Pages) Routes() []string { return slices.Clone(p.mux.patterns) }
