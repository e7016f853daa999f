package read_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
)

// TestRows: the texts of a table are the same in every format, compressed or not, with the lines of the
// file.
func TestRows(t *testing.T) {
	type row struct {
		Task  int     `json:"task" parquet:"task"`
		Name  string  `json:"name" parquet:"name"`
		Price float64 `json:"price" parquet:"price"`
	}
	rows := []row{{1, "red, small", 2.5}, {1, "blue\"", 3}, {2, "007", -0.25}}
	want := [][]string{{"1", "red, small", "2.5"}, {"1", "blue\"", "3"}, {"2", "007", "-0.25"}}
	text := "task,name,price\n1,\"red, small\",2.5\n1,\"blue\"\"\",3\n2,007,-0.25\n"
	cells := [][]any{{"task", "name", "price"}}
	for _, r := range rows {
		cells = append(cells, []any{r.Task, r.Name, r.Price})
	}
	lines, parquet := cataloguetest.JSONLines(rows), cataloguetest.ParquetFile(t, rows)
	for _, c := range []struct {
		name, file string
		first      int // line of the first row
	}{
		{"rows.csv", text, 2},
		{"rows.csv", cataloguetest.Packed(text), 2},
		{"rows.jsonl", lines, 1},
		{"rows", lines, 1},
		{"rows.jsonl.gz", cataloguetest.Packed(lines), 1},
		{"rows.json", "[" + strings.Join(strings.Split(strings.TrimSpace(lines), "\n"), ",\n") + "]", 1},
		{"rows.parquet", parquet, 1},
		{"rows.parquet", cataloguetest.Packed(parquet), 1},
		{"rows.xlsx", cataloguetest.WorkbookFile(t, cells), 2},
	} {
		r, err := read.Rows(strings.NewReader(c.file), c.name)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got [][]string
		err = r.Each(func() error {
			if r.Line() != c.first+len(got) {
				t.Errorf("%s: line %d, want %d", c.name, r.Line(), c.first+len(got))
			}
			texts := []string{r.Text(0), r.Text(1), r.Text(2)}
			got = append(got, texts)
			return nil
		})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

func TestRowsRefusals(t *testing.T) {
	for _, c := range []struct{ name, file, says string }{
		{"rows.csv", "", "rows.csv: the file is empty"},
		{"rows.npy", cataloguetest.NPYFile(1, []float32{1, 2}), "rows.npy: a .npy file has numbers without the names of columns"},
		{"rows.parquet", "PAR1 but no more", "rows.parquet: "},
		{"rows.xlsx", "PK\x03\x04 but no more", "rows.xlsx: "},
		{"rows.jsonl", "{\"a\": 1\n", "rows.jsonl:1: "},
		{"rows.jsonl", "{\"a\": [\"x\"]}\n", "rows.jsonl:1: column \"a\": "},
		{"rows.bin", "a\x00b", "rows.bin: the file is not text"},
	} {
		_, err := read.Rows(strings.NewReader(c.file), c.name)
		if err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %s…", c.name, err, c.says)
		}
	}
}
