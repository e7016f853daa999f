package web

import (
	"net/http"
	"slices"
)

// routes serves the pages, and records their patterns for tests of access.
type routes struct {
	*http.ServeMux

	patterns []string
}

func newRoutes() *routes { return &routes{ServeMux: http.NewServeMux()} }

// Handle registers a handler for a pattern.
func (r *routes) Handle(pattern string, handler http.Handler) {
	r.patterns = append(r.patterns, pattern)
	r.ServeMux.Handle(pattern, handler)
}

// HandleFunc registers a function for a pattern.
func (r *routes) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	r.Handle(pattern, http.HandlerFunc(handle))
}

// Routes returns the patterns of all pages, as [http.ServeMux] writes them.
func (p *Pages) Routes() []string { return slices.Clone(p.mux.patterns) }
