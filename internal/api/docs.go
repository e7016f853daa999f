package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
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
	page, err := docsPage(spec, base+docsCSS)
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
	return map[string][]byte{
		"/docs": page, docsCSS: stylesheet, "/openapi.json": asJSON, Prefix + "/openapi.json": asJSON, Prefix + "/openapi.yaml": asYAML,
	}, nil
}

//go:embed docs.html
var pageTemplate string

//go:embed docs.css
var stylesheet []byte

// docsPage renders spec as HTML, without script and inline style. css is the URL of the stylesheet.
//
// Operations appear under each tag that spec describes, so an operation without such a tag is left out.
func docsPage(spec *huma.OpenAPI, css string) ([]byte, error) {
	functions := template.FuncMap{
		"operations":  func(tag string) []*huma.Operation { return tagged(spec, tag) },
		"constraints": constraints,
		"paragraphs":  func(text string) []string { return strings.Split(text, "\n\n") },
		"spans":       func(text string) []string { return strings.Split(text, "`") },
		"odd":         func(i int) bool { return i%2 == 1 },
		"schemaName":  func(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] },
		"contains":    slices.Contains[[]string],
	}
	t, err := template.New("page").Funcs(functions).Parse(pageTemplate)
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	page := struct {
		*huma.OpenAPI

		CSS     string
		Schemas map[string]*huma.Schema
	}{OpenAPI: spec, CSS: css}
	if spec.Components != nil && spec.Components.Schemas != nil {
		page.Schemas = spec.Components.Schemas.Map()
	}
	var html bytes.Buffer
	if err := t.Execute(&html, page); err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	return html.Bytes(), nil
}

// tagged returns the operations with a tag, ordered by path.
func tagged(spec *huma.OpenAPI, tag string) (operations []*huma.Operation) {
	for _, path := range slices.Sorted(maps.Keys(spec.Paths)) {
		p := spec.Paths[path]
		for _, o := range []*huma.Operation{p.Get, p.Post, p.Put, p.Patch, p.Delete} {
			if o != nil && slices.Contains(o.Tags, tag) {
				operations = append(operations, o)
			}
		}
	}
	return operations
}

// constraints lists the constraints of a schema under their JSON Schema names, such as "maxLength 100".
func constraints(s *huma.Schema) ([]string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch name {
		case "$ref", "type", "description", "title", "properties", "required", "items", "additionalProperties",
			"oneOf", "anyOf", "allOf":
		default:
			list = append(list, name+" "+string(all[name]))
		}
	}
	return list, nil
}
