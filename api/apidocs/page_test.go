package apidocs_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/sse"

	"bestpick/api/apidocs"
)

// nasty is text that must not become a part of the page.
const nasty = `<script>alert("1")</script> & <b style="color:red">'bold'</b>`

// An arm and what is below it are the nested values of the toy API.
type arm struct {
	ID     string           `json:"id" minLength:"1" maxLength:"100" doc:"What the arm is called."`
	Kind   string           `json:"kind" enum:"plain,with space" default:"plain"`
	Price  *float64         `json:"price,omitempty" minimum:"0" exclusiveMaximum:"1000"`
	Tags   []string         `json:"tags,omitempty" maxItems:"5" uniqueItems:"true"`
	Levels [][]level        `json:"levels,omitempty"`
	Parts  []arm            `json:"parts,omitempty" doc:"Arms of which it is made."`
	Until  *time.Time       `json:"until,omitempty"`
	Extra  map[string]level `json:"extra,omitempty"`
	Made   time.Time        `json:"made" readOnly:"true"`
}

type level struct {
	Name string `json:"name" pattern:"^[a-z]+$" doc:"A name with <angle> brackets."`
}

type event struct {
	Leader string `json:"leader" doc:"The arm ahead."`
}

type form struct {
	Table huma.FormFile   `form:"table" contentType:"text/csv" required:"true" doc:"Arms, one a row."`
	More  []huma.FormFile `form:"more"`
	Note  string          `form:"note" maxLength:"10"`
}

// toy returns the description of an API with one of everything.
func toy() *huma.OpenAPI {
	config := huma.DefaultConfig("Toy "+nasty, "1.2.3")
	config.Info.Description = "First `code`.\n\nSecond " + nasty + " and a lone ` here."
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"owner":  {Type: "http", Scheme: "bearer", Description: "The token of an owner."},
		"cookie": {Type: "apiKey", In: "cookie", Name: "session"},
	}
	config.Security = []map[string][]string{{"owner": {}}}
	config.Tags = []*huma.Tag{{Name: "Studies", Description: "What runs."}, {Name: "Unused"}}
	api := humago.New(http.NewServeMux(), config)
	huma.Register(api, huma.Operation{
		OperationID: "add-arm", Method: http.MethodPost, Path: "/studies/{study}/arms", Summary: "Add an arm " + nasty, Tags: []string{"Studies", "Arms"},
		Description: nasty, Errors: []int{404, 409},
	}, func(context.Context, *struct {
		Study  string `path:"study" doc:"The study's id."`
		DryRun bool   `query:"dry_run" default:"false"`
		Token  string `header:"X-Request" required:"true" doc:"Any text."`
		Body   arm
	}) (*struct {
		Location string `header:"Location" doc:"Where it is."`
		Body     struct {
			Arms []arm `json:"arms"`
		}
	}, error,
	) {
		return nil, errors.New("not here")
	})
	huma.Register(api, huma.Operation{
		OperationID: "upload", Method: http.MethodPut, Path: "/studies/{study}/arms", Summary: "Upload a table", Tags: []string{"Arms"},
		Security: []map[string][]string{{"owner": {"write", "read"}}, {"cookie": {}}}, Deprecated: true,
	}, func(context.Context, *struct {
		Study   string `path:"study"`
		RawBody huma.MultipartFormFiles[form]
	},
	) (*struct{}, error) {
		return nil, errors.New("not here")
	})
	sse.Register(api, huma.Operation{
		OperationID: "follow", Method: http.MethodGet, Path: "/studies/{study}/events", Summary: "Follow a study", Tags: []string{"Studies"},
		Security: []map[string][]string{{}},
	}, map[string]any{"verdict": event{}, "arm": arm{}}, func(context.Context, *struct {
		Study string `path:"study" example:"s1"`
	}, sse.Sender) {
	})
	huma.Get(api, "/", func(context.Context, *struct {
		Sort string `query:"sort" enum:"up,down" required:"true"`
	},
	) (*struct{ Body []byte }, error) {
		return nil, errors.New("not here")
	})
	return api.OpenAPI()
}

func toyPage(t *testing.T) string {
	t.Helper()
	page, err := apidocs.Page(toy(), "/docs/page.css?v=1&w=2")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// elements goes through the page as XML, which is stricter than HTML: every element is closed, every
// attribute has a value.
func elements(t *testing.T, page string, visit func(xml.StartElement)) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	for depth := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			if depth != 0 {
				t.Fatal("the page is not closed")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			visit(e)
		case xml.EndElement:
			depth--
		}
	}
}

// TestStrict: the page is well-formed, has nothing that a strict policy forbids, asks for nothing
// but its stylesheet, and its links lead somewhere.
func TestStrict(t *testing.T) {
	page := toyPage(t)
	ids, links, operations := map[string]bool{}, []string{}, 0
	elements(t, page, func(e xml.StartElement) {
		switch e.Name.Local {
		case "script", "style", "img", "iframe", "object", "b":
			t.Errorf("<%s>", e.Name.Local)
		case "article":
			operations++
		}
		for _, a := range e.Attr {
			name := a.Name.Local
			switch {
			case name == "id" && ids[a.Value]:
				t.Errorf("two elements are %q", a.Value)
			case name == "id":
				ids[a.Value] = true
			case name == "href" && e.Name.Local == "link":
				if a.Value != "/docs/page.css?v=1&w=2" {
					t.Error(a.Value)
				}
			case name == "href":
				links = append(links, a.Value)
			case name == "style", name == "src", strings.HasPrefix(name, "on"):
				t.Errorf("<%s %s=%q>", e.Name.Local, name, a.Value)
			}
		}
	})
	if operations != 4 {
		t.Errorf("%d operations", operations)
	}
	if len(links) < 10 {
		t.Errorf("%d links", len(links))
	}
	for _, link := range links {
		if id, local := strings.CutPrefix(link, "#"); !local || !ids[id] {
			t.Errorf("%q leads nowhere", link)
		}
	}
	if bytes.Contains(apidocs.CSS(), []byte("url(")) || bytes.Contains(apidocs.CSS(), []byte("@import")) {
		t.Error("the stylesheet asks for something")
	}
}

// textOf returns what a reader sees of a page, without line ends, in which tags are spaces.
func textOf(page string) string {
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	text = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&#43;", "+", "&amp;", "&").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

// article returns the part of the page about an operation.
func article(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, `<article class="operation" id="`+id+`"`)
	if !found {
		t.Fatalf("there is no %s", id)
	}
	part, _, _ := strings.Cut(rest, "</article>")
	return textOf("<" + part)
}

// TestContent: what is described is on the page, in the words of the page.
func TestContent(t *testing.T) {
	page := toyPage(t)
	for id, wants := range map[string][]string{
		"do-add-arm": {
			"POST /studies/{study}/arms", "Add an arm " + nasty, "Who may call it: owner ",
			"study string in path required The study's id.", "dry_run boolean in query default false", "X-Request string in header required Any text.",
			"Body application/json Arm", "id string required 1 to 100 characters What the arm is called.", "kind string required one of plain, with space default plain",
			"price number, double", "at least 0 less than 1000", "at most 5 elements all different",
			"levels list of list of Level may be null each may be null name string required matches ^[a-z]+$ A name with <angle> brackets.",
			"extra object with any names, each Level name string required",
			"parts list of Arm may be null Arms of which it is made. ",
			"200 OK Headers Location string Where it is.", "404 Not Found", "application/problem+json ErrorModel",
			`curl -X POST 'https://HOST/studies/STUDY/arms' -H 'Authorization: Bearer TOKEN' -H 'X-Request: X-REQUEST' -H 'Content-Type: application/json' -d '{"id":"…","kind":"plain"}'`,
		},
		"do-upload": {
			"deprecated", "Who may call it: owner (write, read) or cookie ", "multipart/form-data", "table file required", "content type text/csv", "more list of file",
			"204 No Content No body.", "-F 'table=@FILE'",
		},
		"do-follow": {
			"Who may call it: anybody", "text/event-stream list of one of these forms", "Event verdict object", "event string required", "always verdict", "leader string required The arm ahead.",
			"curl -N 'https://HOST/studies/s1/events'",
		},
		"do-list": {"GET /", "one of up, down", "curl 'https://HOST/?sort=up' -H 'Authorization: Bearer TOKEN'"},
	} {
		text := article(t, page, id)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", id, want, text)
			}
		}
	}
	if text := textOf(page); !strings.Contains(text, "First code . Second "+nasty+" and a lone ` here.") {
		t.Error(text[:2000])
	}
	body, _, _ := strings.Cut(article(t, page, "do-add-arm"), "Responses")
	if strings.Contains(body, "made string") {
		t.Error("what is read-only is in the request")
	}
}

// TestContentsTable: tags are in the order of the description, and an operation is listed once.
func TestContentsTable(t *testing.T) {
	nav, _, _ := strings.Cut(toyPage(t), "</nav>")
	_, nav, _ = strings.Cut(nav, "<nav")
	text := textOf("<" + nav)
	at := -1
	for _, want := range []string{"Access", "Studies", "POST Add an arm", "GET Follow a study", "Arms", "PUT Upload a table", "Other operations", "GET List"} {
		next := strings.Index(text, want)
		if next <= at {
			t.Errorf("%q is not in its place: %s", want, text)
		}
		at = next
	}
	if strings.Contains(text, "Unused") || strings.Count(text, "Upload") != 1 {
		t.Error(text)
	}
}

// TestCircles: descriptions that go round in circles end, and so do those that lead nowhere.
func TestCircles(t *testing.T) {
	spec := toy()
	schemas := spec.Components.Schemas.Map()
	schemas["Circle"] = &huma.Schema{Ref: "#/components/schemas/Circle"}
	for _, ref := range []string{"Circle", "Nowhere"} {
		spec.Paths["/"+ref] = &huma.PathItem{Get: &huma.Operation{
			Responses:   map[string]*huma.Response{"default": {Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/" + ref}}}}},
			RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/" + ref}}, "text/plain": {}}},
		}}
	}
	page, err := apidocs.Page(spec, "page.css")
	if err != nil {
		t.Fatal(err)
	}
	elements(t, string(page), func(xml.StartElement) {})
	if text := article(t, string(page), "do-get-nowhere"); !strings.Contains(text, "application/json Nowhere") {
		t.Error(text)
	}
}
