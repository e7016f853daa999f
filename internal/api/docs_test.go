package api

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study/wiring"
)

// TestEverybodyMayReadDocs: the documentation needs no token, and any token is ignored. New files
// must be added here.
func TestEverybodyMayReadDocs(t *testing.T) {
	made, err := makeDocs(&huma.OpenAPI{}, "")
	if err != nil {
		t.Fatal(err)
	}
	files := slices.Sorted(maps.Keys(made))
	if want := "/api/v1/openapi.json /api/v1/openapi.yaml /docs /docs/style.css /openapi.json"; strings.Join(files, " ") != want {
		t.Errorf("the files are %v, want %s", files, want)
	}
	handler := Handler(&wiring.Service{}, Options{})
	for _, path := range files {
		for _, shown := range []string{"", "Bearer bestpick_nonsense"} {
			for method, want := range map[string]int{http.MethodGet: 200, http.MethodHead: 200, http.MethodPost: 405, http.MethodDelete: 405} {
				r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
				r.Header.Set("Authorization", shown)
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != want {
					t.Errorf("%s %s with %q: %d", method, path, shown, w.Code)
				}
			}
		}
	}
}
