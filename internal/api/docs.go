package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/middleware"
	"bestpick/wire"
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

// examples has a request body for each operation that takes one as JSON.
//
//go:embed examples.json
var examples []byte

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

// describe completes the OpenAPI document with everything that the library does not know: problems,
// examples, requests without a token, events and webhooks.
func (a *api) describe() {
	spec := a.huma.OpenAPI()
	spec.Servers[0].URL = a.Base + Prefix
	problems := map[string]*huma.MediaType{problemType: {Schema: a.schemaOf(reflect.TypeFor[wire.Problem]())}}
	spec.Components.Responses = map[string]*huma.Response{"Refused": {
		Description: "The request cannot be served. The type of the problem says why.", Content: problems,
	}}
	var bodies map[string]any
	if err := json.Unmarshal(examples, &bodies); err != nil {
		panic(err) // the file is part of the program
	}
	for _, item := range spec.Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o == nil {
				continue
			}
			o.Responses["4XX"] = &huma.Response{Ref: "#/components/responses/Refused"}
			if o.RequestBody != nil {
				o.RequestBody.Required = true
				if body := o.RequestBody.Content[jsonType]; body != nil {
					body.Example = bodies[o.OperationID]
				}
			}
		}
	}
	spec.Webhooks = map[string]*huma.PathItem{"study-done": {Post: a.notice()}}
}

func (a *api) schemaOf(t reflect.Type) *huma.Schema {
	return a.huma.OpenAPI().Components.Schemas.Schema(t, true, "")
}

// notice describes the request of a webhook.
func (a *api) notice() *huma.Operation {
	header := func(name, doc string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: doc, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return &huma.Operation{
		OperationID: "study-done", Tags: []string{tagResults}, Summary: "A study is done",
		Description: "Sent to the webhook of a study, signed as Standard Webhooks defines it, until the reply has a status of " +
			"200 to 299.",
		Security: []map[string][]string{},
		Parameters: []*huma.Param{
			header("webhook-id", "Identifies the notice, also when it is sent again."),
			header("webhook-timestamp", "The time of this attempt, in seconds since 1970."),
			header("webhook-signature", "v1, and the signature of ID, timestamp and body with the secret of the webhook, in base64."),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			jsonType: {Schema: a.schemaOf(reflect.TypeFor[wire.Notice]())},
		}},
		Responses: map[string]*huma.Response{
			"2XX": {Description: "The notice has arrived."},
			"4XX": {Description: "The notice is sent again later."},
		},
	}
}

// streamed describes a reply with events: each element of the list is an event.
func (a *api) streamed() map[string]*huma.Response {
	event := func(name, doc string, data reflect.Type, more map[string]*huma.Schema) *huma.Schema {
		s := &huma.Schema{
			Type: huma.TypeObject, Description: doc, Required: []string{"event", "data"},
			Properties: map[string]*huma.Schema{"event": {Type: huma.TypeString, Enum: []any{name}}, "data": a.schemaOf(data)},
		}
		maps.Copy(s.Properties, more)
		return s
	}
	id := map[string]*huma.Schema{"id": {Type: huma.TypeInteger, Description: "The number of the plan."}}
	events := &huma.Schema{OneOf: []*huma.Schema{
		event("verdict", "The verdict has changed.", reflect.TypeFor[wire.Verdict](), id),
		event("problem", "The stream ends.", reflect.TypeFor[wire.Problem](), nil),
	}}
	return map[string]*huma.Response{"200": {
		Description: "Server-sent events. Each element of this list is an event, and data is in JSON.",
		Content:     map[string]*huma.MediaType{middleware.EventType: {Schema: &huma.Schema{Type: huma.TypeArray, Items: events}}},
	}}
}

// QuotaHeaders has the headers of replies to respondents, in addition to those about the address.
type QuotaHeaders struct {
	RateLimit       []string `header:"RateLimit" doc:"What is left of each policy, such as: \"respondent\";r=49;t=1. t is the time in seconds until all is available."`
	RateLimitPolicy []string `header:"RateLimit-Policy" doc:"How many requests each policy allows in how many seconds, such as: \"respondent\";q=50;w=10."`
}

func quotaHeaders(h http.Header) QuotaHeaders {
	return QuotaHeaders{h.Values("Ratelimit"), h.Values("Ratelimit-Policy")}
}
