// Package apidocs renders an OpenAPI document as one HTML page. The page has no script and no inline style, and
// loads only its stylesheet, so it works under the policy
//
//	default-src 'none'; style-src 'self'
package apidocs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var stylesheet []byte

// CSS returns the stylesheet of the page.
func CSS() []byte { return bytes.Clone(stylesheet) }

// Page renders spec as HTML. css is the URL of the stylesheet.
//
// Operations appear under each tag that spec describes, so an operation without such a tag is left out.
func Page(spec *huma.OpenAPI, css string) ([]byte, error) {
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
		return nil, fmt.Errorf("apidocs: %w", err)
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
		return nil, fmt.Errorf("apidocs: %w", err)
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
		case "$ref", "type", "description", "title", "properties", "required", "items", "additionalProperties", "oneOf", "anyOf", "allOf":
		default:
			list = append(list, name+" "+string(all[name]))
		}
	}
	return list, nil
}
