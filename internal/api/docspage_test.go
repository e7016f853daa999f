package api

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// nasty is text that must not become markup.
const nasty = `<script>alert("1")</script> & <b style="color:red">'bold'</b>`

type arm struct {
	ID    string   `json:"id" minLength:"1" maxLength:"100" doc:"The name of the arm."`
	Kind  string   `json:"kind" enum:"plain,with space" default:"plain"`
	Price *float64 `json:"price,omitempty" minimum:"0"`
	Parts []arm    `json:"parts,omitempty" doc:"The parts of the arm."`
}

// toySpec describes an API with one operation of each kind.
func toySpec() *huma.OpenAPI {
	config := huma.DefaultConfig("Toy "+nasty, "1.2.3")
	config.Info.Description = "First `code`.\n\nSecond " + nasty
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer", Description: "The token of an owner."}}
	config.Tags = []*huma.Tag{{Name: "studies", Description: "Running studies."}, {Name: "arms"}}
	api := humago.New(http.NewServeMux(), config)
	huma.Register(api, huma.Operation{
		OperationID: "add-arm", Method: http.MethodPost, Path: "/studies/{study}/arms", Summary: "Add an arm " + nasty, Tags: []string{"studies"},
		Description: nasty, Errors: []int{404}, Security: []map[string][]string{{"token": {"owner"}}},
	}, func(context.Context, *struct {
		Study  string `path:"study" doc:"The ID of the study."`
		DryRun bool   `query:"dry_run" default:"false"`
		Body   arm
	}) (*struct {
		Location string `header:"Location" doc:"The URL of the arm."`
		Body     []arm
	}, error,
	) {
		return nil, errors.New("unused")
	})
	huma.Register(api, huma.Operation{
		OperationID: "upload", Method: http.MethodPut, Path: "/studies/{study}/arms", Summary: "Upload a table", Tags: []string{"arms"}, Deprecated: true,
	}, func(context.Context, *struct {
		RawBody huma.MultipartFormFiles[struct {
			Table huma.FormFile `form:"table" contentType:"text/csv" required:"true" doc:"Arms, one per row."`
		}]
	},
	) (*struct{}, error) {
		return nil, errors.New("unused")
	})
	return api.OpenAPI()
}

func toyPage(t *testing.T) string {
	t.Helper()
	page, err := docsPage(toySpec(), "/docs/page.css?v=1&w=2")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestStrict checks that the page is well-formed, contains nothing that a strict policy forbids, loads only its
// stylesheet, and has no broken links.
func TestStrict(t *testing.T) {
	ids, links := map[string]bool{}, []string{}
	decoder := xml.NewDecoder(strings.NewReader(toyPage(t)))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "script", "style", "img", "iframe", "object", "b":
			t.Errorf("<%s>", e.Name.Local)
		}
		for _, a := range e.Attr {
			name := a.Name.Local
			switch {
			case name == "id" && ids[a.Value]:
				t.Errorf("id %q occurs twice", a.Value)
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
	}
	if len(links) < 10 {
		t.Errorf("%d links", len(links))
	}
	for _, link := range links {
		if id, local := strings.CutPrefix(link, "#"); !local || !ids[id] {
			t.Errorf("link to %q is broken", link)
		}
	}
	if css := string(stylesheet); strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the stylesheet loads something")
	}
}

// TestContent checks that parameters, bodies, responses and schemas are on the page.
func TestContent(t *testing.T) {
	page := toyPage(t)
	for id, wants := range map[string][]string{
		"add-arm": {
			"POST /studies/{study}/arms", "Add an arm " + nasty, "Needs token owner", "study string in path required The ID of the study.",
			"dry_run boolean in query default false", "Body application/json Arm", "200 OK Location header The URL of the arm. application/json list of Arm",
			"404 Not Found application/problem+json ErrorModel",
		},
		"upload":     {"deprecated", "Needs no token", "multipart/form-data", "table string required Arms, one per row.", "204 No Content without a body"},
		"schema-Arm": {"id string required The name of the arm. maxLength 100 minLength 1", `kind string required default "plain" enum ["plain","with space"]`, "price number format", "minimum 0", "parts list of Arm or null The parts of the arm."},
	} {
		_, rest, found := strings.Cut(page, `<article class="operation" id="`+id+`"`)
		if !found {
			t.Fatalf("%s is missing", id)
		}
		part, _, _ := strings.Cut(rest, "</article>")
		for _, want := range wants {
			if text := textOf("<" + part); !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", id, want, text)
			}
		}
	}
	if text := textOf(page); !strings.Contains(text, "First code . Second "+nasty) {
		t.Error(text[:2000])
	}
}

// textOf returns the text of a page on one line.
func textOf(page string) string {
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	text = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&#43;", "+", "&amp;", "&").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
