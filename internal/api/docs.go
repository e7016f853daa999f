package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/api/apidocs"
)

// docsCSS is where the style of the page is.
const docsCSS = "/docs/style.css"

// serveDocs puts the page that describes the interface at /docs, and what programs read beside the
// interface. All of it is made once, when it is first asked for.
func (a *api) serveDocs(mux *http.ServeMux) {
	made := sync.OnceValues(func() (map[string][]byte, error) { return makeDocs(a.huma.OpenAPI()) })
	for path, kind := range map[string]string{
		"/docs":                  "text/html; charset=utf-8",
		docsCSS:                  "text/css; charset=utf-8",
		Prefix + "/openapi.json": "application/openapi+json",
		Prefix + "/openapi.yaml": "application/openapi+yaml",
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			files, err := made()
			if err != nil {
				panic(err) // the description is of our own making
			}
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(files[path]))
		})
	}
}

// makeDocs makes the files, by their paths.
func makeDocs(spec *huma.OpenAPI) (map[string][]byte, error) {
	page, err := apidocs.Page(spec, docsCSS)
	if err != nil {
		return nil, err
	}
	asJSON, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	asYAML, err := spec.YAML()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"/docs": page, docsCSS: apidocs.CSS(), Prefix + "/openapi.json": asJSON, Prefix + "/openapi.yaml": asYAML}, nil
}
