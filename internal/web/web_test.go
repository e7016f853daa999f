package web

import (
	"testing"

	"bestpick/internal/study/wiring"
)

// TestHas: paths of pages are distinguished from paths of the API.
func TestHas(t *testing.T) {
	p := Handler(&wiring.Service{}, Options{})
	for path, want := range map[string]bool{
		"/": true, "/sign-in": true, "/s/x": true, "/assets/a/b": true, "/sign-inx": false,
		"/docs": false, "/api/v1/studies": false, "/healthz": false,
	} {
		if p.Has(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
