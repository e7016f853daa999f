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

// docsCSS is the path of the stylesheet.
const docsCSS = "/docs/style.css"

// serveDocs serves the reference page at /docs and the OpenAPI documents under the prefix of the
// API and at the root. They are generated at the first request.
func (a *api) serveDocs(mux *http.ServeMux) {
	made := sync.OnceValues(func() (map[string][]byte, error) { return makeDocs(a.huma.OpenAPI(), a.Base) })
	for path, kind := range map[string]string{
		"/docs":                  "text/html; charset=utf-8",
		"/openapi.json":          "application/openapi+json",
		docsCSS:                  "text/css; charset=utf-8",
		Prefix + "/openapi.json": "application/openapi+json",
		Prefix + "/openapi.yaml": "application/openapi+yaml",
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			files, err := made()
			if err != nil {
				panic(err) // the document is generated, so this is a bug
			}
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(files[path]))
		})
	}
}

// makeDocs returns the generated files by path, for an API under a base.
func makeDocs(spec *huma.OpenAPI, base string) (map[string][]byte, error) {
	page, err := apidocs.Page(spec, base+docsCSS)
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
	return map[string][]byte{"/docs": page, docsCSS: apidocs.CSS(), "/openapi.json": asJSON, Prefix + "/openapi.json": asJSON, Prefix + "/openapi.yaml": asYAML}, nil
}
