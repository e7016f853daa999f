package read_test

import (
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/read"
)

// sameAs fails unless two files are the same table, or are refused for the same reason.
func sameAs(t *testing.T, name, content, csv string, options catalogue.Options) {
	t.Helper()
	want, wantErr := read.Table(strings.NewReader(csv), "arms.csv", options)
	got, err := read.Table(strings.NewReader(content), name, options)
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%s: %v, as CSV %v", name, err, wantErr)
	}
	if err == nil && wantErr == nil {
		if diff := sameTable(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestObjectsAreFlattened: objects within objects become columns, also where some arms lack them.
func TestObjectsAreFlattened(t *testing.T) {
	const csv = "id,price.amount,price.currency,size.box.w\na,5,EUR,1\nb,7,EUR,2\nc,9,USD,3\nd,2,USD,4\n"
	sameAs(t, "a.json", `[
		{"id": "a", "price": {"amount": 5, "currency": "EUR"}, "size": {"box": {"w": 1}, "none": {}}},
		{"id": "b", "price": {"amount": 7, "currency": "EUR"}, "size": {"box": {"w": 2}}},
		{"id": "c", "price": {"amount": 9, "currency": "USD"}, "size": {"box": {"w": 3}}},
		{"id": "d", "price": {"amount": 2, "currency": "USD"}, "size": {"box": {"w": 4}}}]`, csv, catalogue.Options{})
	sameAs(t, "a.jsonl", `{"id":"a","x":1,"y":{"z":[1,2]}}`+"\n"+`{"id":"b","x":2,"y":{"z":3}}`, "id,x,y\na,1,\"{\"\"z\"\":[1,2]}\"\nb,2,\"{\"\"z\"\":3}\"\n",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"y": catalogue.Ignored}})
}

// TestListOfNames: a list of texts, or a text a line, is a column of names.
func TestListOfNames(t *testing.T) {
	asIDs := catalogue.Options{Kinds: map[string]catalogue.Kind{"name": catalogue.ID}}
	for _, options := range []catalogue.Options{{}, asIDs} {
		sameAs(t, "a.json", `["one", "two, with a comma", "drei ä"]`, "name\none\n\"two, with a comma\"\ndrei ä\n", options)
		sameAs(t, "a.jsonl", "\"one\"\n\"two\"\n", "name\none\ntwo\n", options)
	}
	refused(t, "a.json", `["one", 2]`, asIDs, `a.json:1: an arm is an object in braces, not "2"`)
	refused(t, "a.jsonl", "\"one\"\n\"two", asIDs, "a.jsonl:2: this is not JSON: unexpected end of JSON input")
}
