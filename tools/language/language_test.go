package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const table = "# Guide\n\n## Words that the check rejects\n\nText.\n\n| words | write |\n|---|---|\n| gadget, old hat | the role |\n| by and by | |\n\ngizmo, widget\n"

// TestCheckTree: the check finds words in comments, texts and documents, also across lines, and nowhere else.
func TestCheckTree(t *testing.T) {
	words, err := readWords(table)
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"a/a.go":           "package a\n\n// Gadget has old\n// hat.\nvar gadget = \"gadget\" // gizmo\n\nvar e = \"there is old hat in it\"\n",
		"a/testdata/x.md":  "gadget",
		"b.md":             "One\n\nfound by and\nby, gadget\nyou are. Gadgets.",
		"docs/language.md": "gadget",
		"de.json":          "\"gadget\"",
		"run.sh":           "# as old\n# hat do\n",
		"x.sql":            "-- gadget\n",
		"clean.md":         "The owner.",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	found, err := checkTree(tree, words)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]violation{
		"a/a.go": {{3, "Gadget"}, {3, "old hat"}, {7, "old hat"}},
		"b.md":   {{3, "by and by"}, {4, "gadget"}},
		"run.sh": {{1, "old hat"}},
	}
	if !maps.EqualFunc(found, want, slices.Equal[[]violation]) {
		t.Errorf("%v, want %v", found, want)
	}
}

// TestReport: more violations than allowed fail, and so do fewer.
func TestReport(t *testing.T) {
	found := map[string][]violation{"more": {{1, "x"}, {2, "y"}}, "same": {{7, "z"}}, "new": {{9, "w"}}}
	allowed, err := parseAllowed("1 more\n1 same\n3 fewer\n")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = report(&out, found, allowed, false)
	want := "more:1: \"x\"\nmore:2: \"y\"\nnew:9: \"w\"\nfewer: 0 violations, but tools/language/allowed.txt allows 3\n"
	if err == nil || !strings.Contains(err.Error(), "3 files") || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
	allowed, err = parseAllowed(formatAllowed(found))
	if err != nil {
		t.Fatal(err)
	}
	if err := report(&out, found, allowed, false); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"x", "one two\n", "0 path\n"} {
		if _, err := parseAllowed(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestGuide: the guide has the table that the check reads, without which nothing would be rejected.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("../..", guide))
	if err != nil {
		t.Fatal(err)
	}
	words, err := readWords(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Nobody", "those" + " who", "is" + " told", "for" + " ever"} {
		if !words.MatchString("so " + word + ".") {
			t.Errorf("%s is not rejected", word)
		}
	}
	if words.MatchString("The owner is notified.") {
		t.Error("a plain sentence is rejected")
	}
	if _, err := readWords("# Guide\n"); err == nil {
		t.Error("a guide without a table is accepted")
	}
}
