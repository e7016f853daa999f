package read_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/testsupport"
)

// TestBlankLinesTakeNoRoom: room is made for what the bytes of a file can hold, not for every
// column in every line.
func TestBlankLinesTakeNoRoom(t *testing.T) {
	const columns, blank, most = 1000, 20_000, 64 << 20 // together they would take 160 MB
	text := "id" + cataloguetest.ColumnNames(columns-1) + "\na" + strings.Repeat(",1", columns-1) + strings.Repeat("\n", blank)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := read.Table(strings.NewReader(text), "a.csv", catalogue.Options{})
	runtime.ReadMemStats(&after)
	if err != nil || got.Len() != 1 {
		t.Fatal(err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
		t.Errorf("%d bytes for %d", taken, len(text))
	}
}

func TestTooManyColumns(t *testing.T) {
	none := catalogue.Options{}
	refused(t, "a.csv", "\nid"+cataloguetest.ColumnNames(10_000)+"\n1\n", none, "a.csv:2: the file has more than 10,000 columns")
	objects := rows(20_000, func(i int) string { return fmt.Sprintf(`{"id":%d,"k%d":1}`, i, i) })
	refused(t, "a.jsonl", objects, none, "a.jsonl:10000: the file has more than 10,000 columns")
	refused(t, "a.json", "["+strings.ReplaceAll(strings.TrimSpace(objects), "\n", ",\n")+"]", none, "a.json:10000: the file has more than 10,000 columns")
	group := parquet.Group{}
	for i := range 10_001 {
		group[fmt.Sprintf("c%d", i)] = parquet.Int(64)
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("arms", group))
	if _, err := w.WriteRows([]parquet.Row{wideRow(len(group))}); err != nil {
		t.Fatal(err)
	}
	testsupport.NoError(t, w.Close())
	refused(t, "a.parquet", b.String(), none, "a.parquet: the file has more than 10,000 columns")
}

// wideRow returns a row with a number in each column.
func wideRow(columns int) parquet.Row {
	row := make(parquet.Row, columns)
	for i := range row {
		row[i] = parquet.Int64Value(1).Level(0, 0, i)
	}
	return row
}

// TestDifferentNames: objects that have nothing in common are no table.
func TestDifferentNames(t *testing.T) {
	objects := rows(9_000, func(i int) string { return fmt.Sprintf(`{"id":%d,"k%d":1}`, i, i) })
	refused(t, "a.jsonl", objects, catalogue.Options{},
		"a.jsonl: 9,000 objects have 9,001 names, but 2 each on average; arms must have the same names")
}
