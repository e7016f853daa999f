package read_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// sound fails where what was read is neither a table that is whole nor problems that name the
// file, a line each.
func sound(t *testing.T, got *catalogue.Table, err error) {
	t.Helper()
	if err != nil {
		list := []error{err}
		if all, several := errors.AsType[*catalogue.Problems](err); several {
			list = all.List
		}
		for _, problem := range list {
			at, placed := errors.AsType[*table.Error](problem)
			if !placed || !strings.HasPrefix(at.File, "arms") || strings.Contains(problem.Error(), "\n") {
				t.Fatalf("%q", problem)
			}
		}
		return
	}
	if got.Len() == 0 || got.Lines != nil && len(got.Lines) != got.Len() {
		t.Fatalf("%d rows", got.Len())
	}
	for _, c := range got.Columns {
		n := len(c.Texts) + len(c.Numbers) + len(c.Vectors)/max(c.Width, 1)
		for _, x := range c.Numbers {
			if math.IsInf(x, 0) {
				t.Fatalf("%q has %v", c.Name, x)
			}
		}
		for _, x := range c.Vectors {
			if x-x != 0 {
				t.Fatalf("%q has %v", c.Name, x)
			}
		}
		if c.Kind == catalogue.Unknown || c.Kind > catalogue.Ignored && c.Kind != catalogue.Shown {
			t.Fatalf("%q is not recognised", c.Name)
		}
		if n != got.Len() {
			t.Fatalf("%q has %d values of %d", c.Name, n, got.Len())
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		cataloguetest.ShoesCSV(";")[:500], cataloguetest.Packed("id,x\na,1\n"), "id,e1,e2\na,1,2\n", "id,x\n\"a\nb\",\"1\"\r\n",
		"id,,id\n1,2,3\n",
		"id,e0,e1,e2,e3,e4,e5,e6,e7\na,1,2,3,4,5,6,7,1e300\n", "\ufeffkey\timage\na\tb.png\n", "id\n\n1\n",
		"e;f;g\n1,5 kg;3.12.2016;1.234,50 €\n800 g;;-\n2 lb;4.2.2017;$5\n", "e\n$1,234.50\n-$3\n₹1,20,000\n",
	} {
		f.Add([]byte(seed), "e")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		got, err := read.Table(bytes.NewReader(text), "arms.csv", catalogue.Options{})
		sound(t, got, err)
		for _, kind := range []catalogue.Kind{
			catalogue.ID, catalogue.Number, catalogue.Category, catalogue.Embedding,
			catalogue.Ignored, catalogue.Date, catalogue.Month,
		} {
			got, err = read.Table(bytes.NewReader(text), "arms.csv", catalogue.Options{Kinds: map[string]catalogue.Kind{name: kind}})
			sound(t, got, err)
		}
	})
}

func FuzzJSONLines(f *testing.F) {
	for _, seed := range []string{
		cataloguetest.JSONLines(cataloguetest.Shoes()[:2]), `[{"id":1},{"id":2}]`, `{"id":"a","e":[1,2,3]}`, `{"id":"a","e":[]}`,
		`{"":1}`, "{}", "[", `{"id":null,"x":{}}`,
		"{\"id\":1,\"e\":[1]}\n{\"id\":2,\"e\":[1,2]}\n{\"id\":3,\"e\":7}", `{"id":1,"x":1e999}`, `{"id":1,"id":2}`,
		`{"id":1,"a":{"b":{"c":[1]},"d":{}}}`, `["a","b"]`, "\"a\"\n\"b\"",
	} {
		f.Add([]byte(seed), "e")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		got, err := read.Table(bytes.NewReader(text), "arms.jsonl", catalogue.Options{})
		sound(t, got, err)
		for _, kind := range []catalogue.Kind{
			catalogue.ID, catalogue.Number, catalogue.Category, catalogue.Embedding,
			catalogue.Ignored,
		} {
			got, err = read.Table(bytes.NewReader(text), "arms.jsonl", catalogue.Options{Kinds: map[string]catalogue.Kind{name: kind}})
			sound(t, got, err)
		}
	})
}

func FuzzParquet(f *testing.F) {
	whole := cataloguetest.ParquetFile(f, cataloguetest.Shoes()[:3])
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)/2] + whole[len(whole)-8:]))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	type sparse struct {
		ID string   `parquet:"id"`
		X  *float64 `parquet:"x"`
	}
	f.Add([]byte(cataloguetest.ParquetFile(f, []sparse{{ID: "a"}})))
	type list struct {
		ID string     `parquet:"id"`
		E  []*float32 `parquet:"e,list"`
	}
	f.Add([]byte(cataloguetest.ParquetFile(f, []list{{"a", make([]*float32, 2)}, {"b", nil}})))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := read.Table(bytes.NewReader(content), "arms.parquet", catalogue.Options{})
		sound(t, got, err)
	})
}

func FuzzWorkbook(f *testing.F) {
	f.Add([]byte(cataloguetest.WorkbookFile(f, [][]any{{"id", "x"}, {"a", 1.5}, {"b", true}})))
	f.Add([]byte(cataloguetest.RawWorkbook(f,
		`<sheetData><row><c t="inlineStr"><is><t>id</t></is></c></row><row r="3"><c s="2"><v>45000</v></c></row></sheetData>`, nil)))
	f.Add([]byte(cataloguetest.RawWorkbook(f,
		`<sheetData><row><c t="s"><v>0</v></c><c t="str"><f>1</f><v>"a,b"</v></c></row>`, nil)))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, limits := range []table.Limits{{}, {Rows: 10, Columns: 10, RowBytes: 100, Values: 50, Bytes: 1 << 16}} {
			got, err := read.Workbook(bytes.NewReader(content), int64(len(content)), "arms.xlsx", catalogue.Options{Limits: limits})
			sound(t, got, err)
		}
	})
}

// FuzzSheet fuzzes the XML of a sheet, which a fuzzer of whole archives hardly reaches behind the checksums.
func FuzzSheet(f *testing.F) {
	f.Add(`<sheetData><row><c t="inlineStr"><is><t>id</t></is></c></row><row r="3"><c s="2"><v>45000</v></c></row></sheetData>`)
	f.Add(`<sheetData><row><c t="s"><v>0</v></c><c t="str"><f>1</f><v>"a,b"</v></c></row>`)
	f.Add(`<sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>`)
	f.Fuzz(func(t *testing.T, sheet string) {
		content := cataloguetest.RawWorkbook(t, sheet, nil)
		got, err := read.Workbook(strings.NewReader(content), int64(len(content)), "arms.xlsx", catalogue.Options{})
		sound(t, got, err)
	})
}

func FuzzNPY(f *testing.F) {
	matrix, _ := binary.Append(cataloguetest.NPY("<f4", false, 2, 3), binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6})
	f.Add(matrix, "a\nb\n")
	f.Add(cataloguetest.NPY("<f8", true, 1, 1), "a")
	f.Add([]byte("\x93NUMPY\x03\x00\x05\x00\x00\x00{'a':"), "")
	f.Fuzz(func(t *testing.T, matrix []byte, ids string) {
		for _, name := range []string{"arms.ids", "arms.csv"} {
			got, err := read.NPY(bytes.NewReader(matrix), "arms.npy", strings.NewReader(ids), name, catalogue.Options{})
			sound(t, got, err)
		}
	})
}
