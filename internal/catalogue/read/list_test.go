package read_test

import (
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
)

// TestLists: the first line of a list is an option if it reads like the others. A note says so, or that it
// is not, unless it is a usual name of a column.
func TestLists(t *testing.T) {
	const option, header = "is an option like the others", "names the column"
	for _, test := range []struct {
		text, titles, noted string
		kinds               map[string]catalogue.Kind
	}{
		{text: "Claude\nGPT\nGemini\n", titles: "Claude|GPT|Gemini", noted: option},
		{text: "iPhone\nPixel\n", titles: "iPhone|Pixel", noted: option},
		{text: "Rent or buy?\nSave or spend?\nWait, then see\n", titles: "Rent or buy?|Save or spend?|Wait, then see", noted: option},
		{text: "vanilla\nchocolate\nmint\n", titles: "vanilla|chocolate|mint", noted: option},
		{text: "flavour\nVanilla\nChocolate\n", titles: "Vanilla|Chocolate", noted: header},
		{text: "Inception\nThe Matrix\nThe Godfather\n", titles: "The Matrix|The Godfather", noted: header},
		{text: "10\n20\n30\n", titles: "10|20|30", noted: option},
		{text: "Headlines\nA\nB\n", titles: "A|B"},
		{text: "Product Name\nA\nB\n", titles: "A|B"},
		{text: "Claude\nGPT\nGemini\n", titles: "GPT|Gemini", kinds: map[string]catalogue.Kind{"Claude": catalogue.Label}},
	} {
		got, err := read.Table(strings.NewReader(test.text), "pasted", catalogue.Options{Kinds: test.kinds})
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		label := got.First(catalogue.Label)
		if label == nil || strings.Join(label.Texts, "|") != test.titles || len(got.Lines) != len(label.Texts) {
			t.Errorf("%q: %+v", test.text, got)
		}
		noted := slices.ContainsFunc(got.Notes, func(n catalogue.Note) bool { return strings.Contains(n.Text, test.noted) })
		if noted != (test.noted != "") || !noted && len(got.Notes) > 0 {
			t.Errorf("%q: %v", test.text, got.Notes)
		}
	}
}

// TestListsInSheets: a sheet with one column is a list, too, and lists of pictures are pictures.
func TestListsInSheets(t *testing.T) {
	book := cataloguetest.WorkbookFile(t, [][]any{{"Orb, large"}, {"Reed"}, {"Fold, small"}})
	got, err := read.Table(strings.NewReader(book), "a.xlsx", catalogue.Options{})
	if err != nil || strings.Join(got.First(catalogue.Label).Texts, "|") != "Orb, large|Reed|Fold, small" || got.Line(0) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = read.Table(strings.NewReader("https://example.org/1.png\nhttps://example.org/2.png\n"), "a.txt", catalogue.Options{})
	if err != nil || len(got.First(catalogue.Image).Texts) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
