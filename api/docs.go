package api

import (
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/api/apidocs"
)

// serveDocs puts the page that describes the interface at /docs, and what programs read beside the
// interface. All of it is made once, before the first request.
func serveDocs(mux *http.ServeMux, spec *huma.OpenAPI) error {
	const css = "/docs/style.css"
	page, err := apidocs.Page(spec, css)
	if err != nil {
		return err
	}
	asJSON, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	asYAML, err := spec.YAML()
	if err != nil {
		return err
	}
	for _, file := range []struct {
		path, kind string
		text       []byte
	}{
		{"/docs", "text/html; charset=utf-8", page},
		{css, "text/css; charset=utf-8", apidocs.CSS()},
		{Prefix + "/openapi.json", "application/openapi+json", asJSON},
		{Prefix + "/openapi.yaml", "application/openapi+yaml", asYAML},
	} {
		mux.HandleFunc("GET "+file.path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
			_, _ = w.Write(file.text) // whoever asked has gone
		})
	}
	return nil
}
