package problems_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bestpick/internal/problems"
	"bestpick/internal/study"
)

// TestEveryCode: every code of package study has a status, a problem type, and messages in every language.
func TestEveryCode(t *testing.T) {
	languages := messages(t)
	internal := problems.Of(study.CodeInternal)
	for _, code := range codes(t) {
		p := problems.Of(code)
		if code != study.CodeInternal && (p == internal || p.Status < 400 || !strings.HasPrefix(p.Type, "urn:bestpick:")) {
			t.Errorf("%s: status %d, type %q", code, p.Status, p.Type)
		}
		needed := []string{p.Page.Kind + ".title", p.Page.Kind + ".text"}
		if p.Notice != "" {
			needed = append(needed, "notice."+p.Notice)
		}
		if p.Refuse != "" {
			needed = append(needed, "did."+p.Refuse)
		}
		for language, texts := range languages {
			for _, key := range needed {
				if texts[key] == "" {
					t.Errorf("%s: %s has no message %q", code, language, key)
				}
			}
		}
		if http.StatusText(p.Page.Status) == "" {
			t.Errorf("%s: the page has status %d", code, p.Page.Status)
		}
	}
}

// TestUnknownCode: a code without a row is reported as internal.
func TestUnknownCode(t *testing.T) {
	if got := problems.Of("?"); got.Status != http.StatusInternalServerError || got.Page.Kind != problems.Failed {
		t.Errorf("%+v", got)
	}
}

// codes returns the constants of type Code in package study.
func codes(t *testing.T) (found []study.Code) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "study", "errors.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, is := node.(*ast.ValueSpec)
		if !is || len(spec.Values) != 1 {
			return true
		}
		if kind, is := spec.Type.(*ast.Ident); is && kind.Name == "Code" {
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%v is not a literal", spec.Values[0])
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, study.Code(text))
		}
		return true
	})
	if len(found) < 20 {
		t.Fatalf("too few codes found in package study: %q", found)
	}
	return found
}

// messages returns the messages of the pages by language.
func messages(t *testing.T) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "web", "page", "messages", "*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("message files: %q, %v", files, err)
	}
	all := map[string]map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]string
		if err := json.Unmarshal(text, &texts); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = texts
	}
	return all
}
