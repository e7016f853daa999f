// Package apidocs makes one page of the description of an API, to be read in a browser. The page
// has no script, no style of its own and asks for nothing but its stylesheet, so that it works
// under the strictest content security policy:
//
//	default-src 'none'; style-src 'self'
package apidocs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var stylesheet []byte

// CSS returns the stylesheet of the page.
func CSS() []byte { return bytes.Clone(stylesheet) }

// Page returns the description of an API as HTML. css is the address of the stylesheet.
//
// What is described is what the API serves as its OpenAPI document: the description is written
// as JSON first and read again, so that whatever the library adds on the way is on the page.
func Page(spec *huma.OpenAPI, css string) ([]byte, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	var html bytes.Buffer
	if err := t.Execute(&html, newPage(&d, css)); err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	return html.Bytes(), nil
}
