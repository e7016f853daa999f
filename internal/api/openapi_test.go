package api_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
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
	Description string
	Tags        []string
	Security    []map[string][]string
	Parameters  []struct{ Name, In string }
	RequestBody *struct {
		Content map[string]map[string]any
	}
	Responses map[string]struct {
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
	if !strings.HasPrefix(d.OpenAPI, "3.1.") || d.Info.Title != "bestpick" || d.Info.Version != "1.2.3" || len(d.Servers) != 1 ||
		d.Servers[0].URL != "/api/v1" {
		t.Errorf("the document is %+v", d)
	}
	walk(t, d.whole, "#")
	tags := map[string]bool{}
	for _, tag := range d.Tags {
		tags[tag.Name] = true
	}
	ids := map[string]bool{}
	for _, o := range d.operations() {
		if o.RequestBody != nil {
			if content := o.RequestBody.Content["application/json"]; content != nil && content["example"] == nil {
				t.Errorf("%s has no example of a request", o.ID)
			}
		}
		if o.ID == "" || ids[o.ID] || o.Summary == "" || o.Description == "" || len(o.Tags) != 1 || !tags[o.Tags[0]] {
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

// TestDescribedProblems: the document lists and explains every type of problem.
func TestDescribedProblems(t *testing.T) {
	s := begin(t, setting{idle: true})
	source, err := os.ReadFile("../../wire/problem.go")
	s.must(err)
	kind := at(s.description().whole, "components", "schemas", "Problem", "properties", "type")
	described, _ := at(kind, "description").(string)
	listed, _ := at(kind, "enum").([]any)
	declared := regexp.MustCompile(`(?m)^\t\w+ += "(urn:bestpick:([a-z-]+))"`).FindAllStringSubmatch(string(source), -1)
	if len(declared) == 0 || len(declared) != len(listed) {
		t.Errorf("%d types of problems are declared, %d listed", len(declared), len(listed))
	}
	for _, one := range declared {
		if !slices.Contains(listed, any(one[1])) || !strings.Contains(described, one[2]+": ") {
			t.Errorf("%s is not in the document", one[1])
		}
	}
}

// TestDescribedEvents: the document has the data of events, and the request of the webhook.
func TestDescribedEvents(t *testing.T) {
	s := begin(t, setting{idle: true})
	whole := s.description().whole
	events, _ := at(whole, "paths", "/studies/{study}/events", "get", "responses", "200", "content", "text/event-stream", "schema",
		"items", "oneOf").([]any)
	for i, schema := range []string{"Verdict", "Problem"} {
		if len(events) != 2 || at(events[i], "properties", "data", "$ref") != "#/components/schemas/"+schema {
			t.Errorf("the events are %v", events)
		}
	}
	if body := at(whole, "webhooks", "study-done", "post", "requestBody", "content", "application/json", "schema",
		"$ref"); body != "#/components/schemas/Notice" {
		t.Errorf("the webhook sends %v", body)
	}
}

// at returns a part of a JSON value, nil if there is none.
func at(value any, path ...string) any {
	for _, step := range path {
		object, _ := value.(map[string]any)
		value = object[step]
	}
	return value
}

// TestDocs: everyone may read the documentation, and any token is ignored. The page lists every operation.
func TestDocs(t *testing.T) {
	s := begin(t, setting{idle: true})
	for path, kind := range map[string]string{
		"//docs": "text/html; charset=utf-8", "//docs/style.css": "text/css; charset=utf-8",
		"//openapi.json": "application/openapi+json",
		"/openapi.json":  "application/openapi+json", "/openapi.yaml": "application/openapi+yaml",
	} {
		for method, want := range map[string]int{http.MethodGet: 200, http.MethodHead: 200, http.MethodPost: 405} {
			reply := s.send(sent{token: s.owner.Token + "x", method: method, path: path})
			if reply.status != want || want == 200 &&
				(reply.header.Get("Content-Type") != kind || reply.header.Get("Content-Security-Policy") == "") {
				t.Errorf("%s %s: %d %v", method, path, reply.status, reply.header)
			}
		}
	}
	page := s.send(sent{method: http.MethodGet, path: "//docs"}).text
	for _, o := range s.description().operations() {
		_, rest, found := strings.Cut(page, `<article class="operation" id="`+o.ID+`"`)
		text, _, _ := strings.Cut(rest, "</article>")
		text = textOf(text)
		who := "Needs no token"
		if len(o.Security) > 0 {
			who = "Needs token " + o.Security[0]["token"][0]
		}
		if !found || !strings.Contains(text, o.Summary) || !strings.Contains(text, o.method+" "+o.path) ||
			!strings.Contains(text, who) {
			t.Errorf("%s is on the page as %q", o.ID, text)
		}
	}
	whole := textOf(page)
	for _, want := range []string{
		"study string in path required The ID of the study. maxLength 100", "limit integer in query default 50",
		"Body application/json Withdrawal",
		"204 No Content without a body", "multipart/form-data", "catalogue string required The arms: CSV", "ETag header",
		`format string How the pages show contexts and texts. Defaults to plain. enum ["plain","markdown"]`, "picks list of string",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	css := s.send(sent{method: http.MethodGet, path: "//docs/style.css"}).text
	if strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the stylesheet loads something")
	}
}

// textOf returns the text of a page on one line.
func textOf(page string) string {
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString("<"+page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// TestDocsAreStrict: the page is well-formed, contains nothing that a strict policy forbids, loads only its stylesheet,
// and has no broken links.
func TestDocsAreStrict(t *testing.T) {
	s := begin(t, setting{idle: true})
	ids, links := map[string]bool{}, []string{}
	decoder := xml.NewDecoder(strings.NewReader(s.send(sent{method: http.MethodGet, path: "//docs"}).text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		s.must(err)
		e, _ := token.(xml.StartElement)
		switch e.Name.Local {
		case "script", "style", "img", "iframe", "object":
			t.Errorf("<%s>", e.Name.Local)
		}
		for _, a := range e.Attr {
			name := a.Name.Local
			switch {
			case name == "id" && ids[a.Value]:
				t.Errorf("id %q occurs twice", a.Value)
			case name == "id":
				ids[a.Value] = true
			case name == "href" && (e.Name.Local != "link" || a.Value != "/docs/style.css"):
				links = append(links, a.Value)
			case name == "style", name == "src", strings.HasPrefix(name, "on"):
				t.Errorf("<%s %s=%q>", e.Name.Local, name, a.Value)
			}
		}
	}
	for _, link := range links {
		if id, local := strings.CutPrefix(link, "#"); !local || !ids[id] {
			t.Errorf("link to %q is broken", link)
		}
	}
}
