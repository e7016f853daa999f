package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A description is the part of the OpenAPI document that the tests need.
type description struct {
	OpenAPI string                          `json:"openapi"`
	Info    struct{ Title, Version string } `json:"info"`
	Servers []struct{ URL string }          `json:"servers"`
	Tags    []struct{ Name string }         `json:"tags"`
	Paths   map[string]map[string]operation `json:"paths"`
	whole   any
}

// An operation is an operation of the document.
type operation struct {
	ID          string `json:"operationId"`
	Summary     string
	Tags        []string
	Security    []map[string][]string
	Parameters  []struct{ Name, In string }
	RequestBody *struct{ Content map[string]any }
	Responses   map[string]struct {
		Ref         string `json:"$ref"`
		Description string
		Content     map[string]any
	}

	method, path string
}

// description reads the OpenAPI document.
func (s *stage) description() description {
	s.Helper()
	reply := s.send(sent{method: http.MethodGet, path: "/openapi.json"})
	if reply.status != 200 || reply.header.Get("Content-Type") != "application/openapi+json" {
		s.Fatalf("%d %v", reply.status, reply.header)
	}
	var d description
	s.must(reply.read(&d))
	s.must(reply.read(&d.whole))
	return d
}

// operations returns all operations in a fixed order.
func (d description) operations() (all []operation) {
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			one := d.Paths[path][method]
			one.method, one.path = strings.ToUpper(method), path
			all = append(all, one)
		}
	}
	return all
}

// TestDescription checks what the linter of the document does not: operations have all parts that the page shows and
// clients need, and no list is nullable.
func TestDescription(t *testing.T) {
	s := begin(t, setting{idle: true})
	d := s.description()
	if !strings.HasPrefix(d.OpenAPI, "3.1.") || d.Info.Title != "bestpick" || d.Info.Version != "1.2.3" || len(d.Servers) != 1 || d.Servers[0].URL != "/api/v1" {
		t.Errorf("the document is %+v", d)
	}
	walk(t, d.whole, "#")
	tags := map[string]bool{}
	for _, tag := range d.Tags {
		tags[tag.Name] = true
	}
	ids := map[string]bool{}
	for _, o := range d.operations() {
		if o.ID == "" || ids[o.ID] || o.Summary == "" || len(o.Tags) != 1 || !tags[o.Tags[0]] {
			t.Errorf("%s %s has the ID %q and the tags %v", o.method, o.path, o.ID, o.Tags)
		}
		ids[o.ID] = true
		succeeds := false
		for status, response := range o.Responses {
			succeeds = succeeds || strings.HasPrefix(status, "2")
			if status == "4XX" && response.Ref == "#/components/responses/Refused" {
				continue
			}
			if response.Description == "" {
				t.Errorf("%s: the response %s is not described", o.ID, status)
			}
			if _, is := response.Content["application/problem+json"]; is != (status == "default") {
				t.Errorf("%s: the response %s has %v", o.ID, status, response.Content)
			}
		}
		if _, problems := o.Responses["default"]; !succeeds || !problems {
			t.Errorf("%s has the responses %v", o.ID, o.Responses)
		}
	}
}

// walk checks all parts of the document. at is the path of the current one.
func walk(t *testing.T, here any, at string) {
	t.Helper()
	switch here := here.(type) {
	case []any:
		for i, one := range here {
			walk(t, one, fmt.Sprint(at, "/", i))
		}
	case map[string]any:
		kind := here["type"]
		if list, is := kind.([]any); is && slices.Contains(list, any("null")) {
			t.Errorf("%s may be null", at)
		}
		if kind == "array" && here["items"] == nil {
			t.Errorf("%s: the list has no item type", at)
		}
		if _, is := here["nullable"]; is {
			t.Errorf("%s is nullable, as in 3.0", at)
		}
		for name, one := range here {
			if name == "$schema" {
				t.Errorf("%s has %s", at, name)
			}
			walk(t, one, at+"/"+name)
		}
	}
}
