package catalogue_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"bestpick/catalogue"
)

// TestBlankLinesTakeNoRoom: room is made for what the bytes of a file can hold, not for every
// column in every line.
func TestBlankLinesTakeNoRoom(t *testing.T) {
	const columns, blank, most = 1000, 20_000, 64 << 20 // together they would take 160 MB
	text := "id" + names(columns-1) + "\na" + strings.Repeat(",1", columns-1) + strings.Repeat("\n", blank)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := catalogue.Read(strings.NewReader(text), "a.csv", catalogue.Options{})
	runtime.ReadMemStats(&after)
	if err != nil || got.Len() != 1 {
		t.Fatal(err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
		t.Errorf("%d bytes for %d", taken, len(text))
	}
}

// names returns so many names of columns.
func names(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, ",c%d", i)
	}
	return text.String()
}

func TestTooManyColumns(t *testing.T) {
	none := catalogue.Options{}
	refused(t, "a.csv", "\nid"+names(10_000)+"\n1\n", none, "a.csv:2: there are more than 10,000 columns")
	objects := rows(20_000, func(i int) string { return fmt.Sprintf(`{"id":%d,"k%d":1}`, i, i) })
	refused(t, "a.jsonl", objects, none, "a.jsonl:10000: there are more than 10,000 columns")
	refused(t, "a.json", "["+strings.ReplaceAll(strings.TrimSpace(objects), "\n", ",\n")+"]", none, "a.json:10000: there are more than 10,000 columns")
}

// TestDifferentNames: objects that have nothing in common are no table.
func TestDifferentNames(t *testing.T) {
	objects := rows(9_000, func(i int) string { return fmt.Sprintf(`{"id":%d,"k%d":1}`, i, i) })
	refused(t, "a.jsonl", objects, catalogue.Options{},
		"a.jsonl: 9,000 objects have 9,001 names, but 2 each on average; arms must have the same names")
}
