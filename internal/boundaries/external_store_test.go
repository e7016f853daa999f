package boundaries

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bestpick/store"
)

// TestExternalStore: another module can write every method of a store with the names of package store.
// Such a store passes the conformance suite, of which one test for each part runs here, and serves
// studies.
func TestExternalStore(t *testing.T) {
	names := storeNames(t)
	m := newModule(t)
	m.write(t, "delegate.go", delegate(t, names))
	test, err := os.ReadFile("testdata/store/store_test.go")
	if err != nil {
		t.Fatal(err)
	}
	m.write(t, "store_test.go", string(test))
	m.run(t, "test", "-mod=mod", "-vet=off", "-run", "TestServe|TestStore/^(create|panel|record|imports|adopt|erase|append|claim|sessions|tokens|audit|webhooks|jobs)$", ".")
}

// TestStoreFields: the fields of the types of a store have types with names in package store.
func TestStoreFields(t *testing.T) {
	names := storeNames(t)
	contract := reflect.TypeFor[store.Store]()
	for method := range contract.Methods() {
		for _, used := range slices.AppendSeq(slices.Collect(method.Type.Ins()), method.Type.Outs()) {
			if used = element(used); used.Kind() != reflect.Struct || !internalName.MatchString(used.String()) {
				continue
			}
			for field := range used.Fields() {
				if field.IsExported() {
					names.source(t, used.Name()+"."+field.Name, field.Type)
				}
			}
		}
	}
}

// storeNamed has the names of package store by the names of the types behind them, such as study.Outcome.
type storeNamed map[string]string

// internalName matches the name of a type that other modules cannot import.
var internalName = regexp.MustCompile(`(?:bestpick/internal/)?\b(study|access|webhook|picture|jobs)\.\w+`)

// storeNames reads the aliases of package store.
func storeNames(t *testing.T) storeNamed {
	t.Helper()
	names := storeNamed{}
	paths, err := filepath.Glob("../../store/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Assign.IsValid() {
				if aliased, ok := spec.Type.(*ast.SelectorExpr); ok {
					names[fmt.Sprintf("%s.%s", aliased.X, aliased.Sel)] = spec.Name.Name
				}
			}
			return true
		})
	}
	return names
}

// source returns a type in the words of another module.
func (names storeNamed) source(t *testing.T, where string, used reflect.Type) string {
	t.Helper()
	return internalName.ReplaceAllStringFunc(used.String(), func(hidden string) string {
		hidden = strings.TrimPrefix(hidden, "bestpick/internal/")
		name, named := names[hidden]
		if !named {
			t.Errorf("%s has the type %s, which has no alias in package store", where, hidden)
		}
		return "store." + name
	})
}

// delegate returns the source of a store that passes every call on.
func delegate(t *testing.T, names storeNamed) string {
	t.Helper()
	var source strings.Builder
	source.WriteString("package example\n\nimport (\n\"context\"\n\"iter\"\n\"time\"\n\n\"bestpick/store\"\n)\n\ntype delegate struct{ to store.Store }\n")
	contract := reflect.TypeFor[store.Store]()
	for method := range contract.Methods() {
		var declared, passed, returned []string
		for parameter := range method.Type.Ins() {
			name, kind := fmt.Sprint("p", len(declared)), names.source(t, method.Name, parameter)
			declared, passed = append(declared, name+" "+kind), append(passed, name)
		}
		if method.Type.IsVariadic() {
			last := len(declared) - 1
			declared[last] = strings.Replace(declared[last], "[]", "...", 1)
			passed[last] += "..."
		}
		for result := range method.Type.Outs() {
			returned = append(returned, names.source(t, method.Name, result))
		}
		call := "d.to." + method.Name
		if len(returned) > 0 {
			call = "return " + call
		}
		fmt.Fprintf(&source, "\nfunc (d delegate) %s(%s) (%s) { %s(%s) }\n",
			method.Name, strings.Join(declared, ", "), strings.Join(returned, ", "), call, strings.Join(passed, ", "))
	}
	return source.String()
}

// element returns the type of the elements of a slice, and other types as they are.
func element(of reflect.Type) reflect.Type {
	if of.Kind() == reflect.Slice {
		return of.Elem()
	}
	return of
}
