package page

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestAssets: files of this version are cached, files of other versions are not, and unknown files
// are not found.
func TestAssets(t *testing.T) {
	p := New(nil, [][]byte{nil}, time.Now, Options{})
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	for name, kind := range map[string]string{
		"bestpick.css": "text/css", "respond.js": "text/javascript",
		"icon.svg": "image/svg+xml",
	} {
		w := get(p.assets.address(name))
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) ||
			!strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		if w := get(assetsPath + "older/" + name); w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("another version of %s: %d %v", name, w.Code, w.Header())
		}
	}
	if w := get(assetsPath + p.assets.version + "/nothing.js"); w.Code != http.StatusNotFound {
		t.Errorf("an unknown file: %d", w.Code)
	}
}

// TestAssetsNeedNothingElse: no file contains the URL of another site.
func TestAssetsNeedNothingElse(t *testing.T) {
	for name, text := range newAssets().files {
		for _, scheme := range []string{"http:", "https:", "//cdn", "@import"} {
			rest := strings.ReplaceAll(string(text), `xmlns="http://www.w3.org/2000/svg"`, "")
			if strings.Contains(rest, scheme) {
				t.Errorf("%s contains %s", name, scheme)
			}
		}
	}
}
