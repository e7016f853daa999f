package read_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/testsupport"
)

// TestTypesOfJSON: numbers may be in quotes, ids may be numbers, and large integers are kept.
func TestTypesOfJSON(t *testing.T) {
	text := `{"id":9007199254740993,"zip":"01234","mass":"12.5","size":1.50,"new":true,"e":[1,2],"junk":{"a":1}}
{"id":2,"zip":"99999","mass":13,"size":1e3,"new":false,"e":[3,4],"label":"late"}`
	kinds := map[string]catalogue.Kind{"size": catalogue.Category, "zip": catalogue.Category, "junk": catalogue.Ignored}
	got, err := read.Table(strings.NewReader(text), "-", catalogue.Options{Kinds: kinds})
	testsupport.NoError(t, err)
	want := &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"9007199254740993", "2"}},
		{Name: "zip", Kind: catalogue.Category, Texts: []string{"01234", "99999"}},
		{Name: "mass", Kind: catalogue.Number, Numbers: []float64{12.5, 13}},
		{Name: "size", Kind: catalogue.Category, Texts: []string{"1.5", "1000"}},
		{Name: "new", Kind: catalogue.Boolean, Texts: []string{"true", "false"}},
		{Name: "e", Kind: catalogue.Embedding, Width: 2, Vectors: []float32{1, 2, 3, 4}},
		{Name: "junk", Kind: catalogue.Ignored, Texts: []string{`{"a":1}`, ""}},
		{Name: "label", Kind: catalogue.Label, Texts: []string{"", "late"}},
	}}
	if diff := sameTable(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int32{1, 2}, got.Lines); diff != "" {
		t.Error(diff)
	}
	split, err := read.Table(strings.NewReader(`{"id":"a","e":[1,2]}`), "a.jsonl",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"e": catalogue.Number}})
	if err != nil || split.Column("e2") == nil || split.Column("e2").Numbers[0] != 2 {
		t.Error(split, err)
	}
}

// TestLongJSON: columns are settled by their first values, and those that come late are, too.
func TestLongJSON(t *testing.T) {
	const n = 70_000
	text := rows(n, func(i int) string {
		if i == n-1 {
			return fmt.Sprintf(`{"id":%d,"x":%d,"label":"last"}`, i, i/2)
		}
		return fmt.Sprintf(`{"id":%d,"x":%d}`, i, i/2)
	})
	if got := recognised(t, "a.jsonl", text, nil); got != "id id, x number, label label" {
		t.Error(got)
	}
	got := testsupport.Value(read.Table(strings.NewReader(text+`{"id":"z","x":"many"}`), "a.jsonl", catalogue.Options{})).OrFail(t)
	if want := fmt.Sprintf(`not numbers: 1 of 70,001 values, such as "many" in line %d; taken as missing`,
		n+1); got.Notes[0].Text != want {
		t.Error(got.Notes)
	}
}

// TestTypesOfNumPy: all types of numbers, both orders of bytes and of the matrix.
func TestTypesOfNumPy(t *testing.T) {
	want := []float32{1, 2, 3, 4, 5, 6}
	for _, test := range []struct {
		descr   string
		fortran bool
		order   binary.AppendByteOrder
		numbers any
	}{
		{"<f4", false, binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6}},
		{"<f4", true, binary.LittleEndian, []float32{1, 4, 2, 5, 3, 6}},
		{">f4", false, binary.BigEndian, []float32{1, 2, 3, 4, 5, 6}},
		{"<f8", false, binary.LittleEndian, []float64{1, 2, 3, 4, 5, 6}},
		{">f8", false, binary.BigEndian, []float64{1, 2, 3, 4, 5, 6}},
		{"<f2", false, binary.LittleEndian, []uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}},
		{"|i1", false, binary.LittleEndian, []int8{1, 2, 3, 4, 5, 6}},
		{"<i2", false, binary.LittleEndian, []int16{1, 2, 3, 4, 5, 6}},
		{"<i4", false, binary.LittleEndian, []int32{1, 2, 3, 4, 5, 6}},
		{"<i8", false, binary.LittleEndian, []int64{1, 2, 3, 4, 5, 6}},
		{"|u1", false, binary.LittleEndian, []uint8{1, 2, 3, 4, 5, 6}},
		{"<u2", false, binary.LittleEndian, []uint16{1, 2, 3, 4, 5, 6}},
		{"<u4", false, binary.LittleEndian, []uint32{1, 2, 3, 4, 5, 6}},
		{">u8", false, binary.BigEndian, []uint64{1, 2, 3, 4, 5, 6}},
	} {
		order, _ := test.order.(binary.ByteOrder)
		matrix, err := binary.Append(cataloguetest.NPY(test.descr, test.fortran, 2, 3), order, test.numbers)
		testsupport.NoError(t, err)
		got, err := read.NPY(strings.NewReader(string(matrix)), "e.npy", strings.NewReader("a\nb"), "e.ids", catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.descr, err)
		} else if diff := cmp.Diff(want, got.Column("e").Vectors); diff != "" {
			t.Errorf("%s, Fortran's order %v: %s", test.descr, test.fortran, diff)
		}
	}
}

// TestLargeMatrix: a matrix of several blocks whose size is not known beforehand is read whole.
func TestLargeMatrix(t *testing.T) {
	const rows, columns = 1 << 10, 1 << 11
	want := make([]float64, rows*columns)
	for i := range want {
		want[i] = float64(i + 1)
	}
	matrix, err := binary.Append(cataloguetest.NPY(">f8", false, rows, columns), binary.BigEndian, want)
	testsupport.NoError(t, err)
	var ids strings.Builder
	for i := range rows {
		fmt.Fprintln(&ids, i)
	}
	got, err := read.NPY(bytes.NewReader(matrix), "e.npy", strings.NewReader(ids.String()), "e.ids", catalogue.Options{})
	testsupport.NoError(t, err)
	for i, x := range got.Column("e").Vectors {
		if x != float32(want[i]) {
			t.Fatalf("number %d is %v", i, x)
		}
	}
}

// TestTypesOfParquet: integers of all sizes, decimals, nulls in labels, and numbers as a category.
func TestTypesOfParquet(t *testing.T) {
	type row struct {
		ID    int64   `parquet:"id"`
		Label *string `parquet:"label"`
		Small int8    `parquet:"small"`
		Large uint64  `parquet:"large"`
		Price int64   `parquet:"price,decimal(2:18)"`
		Size  float32 `parquet:"size"`
		Zip   string  `parquet:"zip"`
	}
	name := "A"
	content := cataloguetest.ParquetFile(t, []row{{1, &name, -1, 1 << 63, 150, 0.1, "01"}, {2, nil, 2, 3, -25, 2.5, "01"}})
	got, err := read.Table(strings.NewReader(content), "-",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"size": catalogue.Category}})
	testsupport.NoError(t, err)
	want := &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"1", "2"}},
		{Name: "label", Kind: catalogue.Label, Texts: []string{"A", ""}},
		{Name: "small", Kind: catalogue.Number, Numbers: []float64{-1, 2}},
		{Name: "large", Kind: catalogue.Number, Numbers: []float64{1 << 63, 3}},
		{Name: "price", Kind: catalogue.Number, Numbers: []float64{1.5, -0.25}},
		{Name: "size", Kind: catalogue.Category, Texts: []string{"0.1", "2.5"}},
		{Name: "zip", Kind: catalogue.Category, Texts: []string{"01", "01"}},
	}}
	if diff := sameTable(want, got); diff != "" {
		t.Error(diff)
	}
}

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

// TestNestedValues: lists and objects are left out with a note, in JSON and Parquet.
func TestNestedValues(t *testing.T) {
	deep := strings.Repeat(`{"y":`, 8) + "1" + strings.Repeat("}", 8)
	objects := fmt.Sprintf(`{"id":"a","tags":["x","y"],"offers":[{"p":1}],"price":5,"x":%s,"size":"L","e":[1,2]}
{"id":"b","tags":[],"price":[5,6],"size":"S","e":[3,4]}
{"id":"c","tags":null,"price":7,"size":["S","L"],"e":[5,7]}
{"id":"d","tags":["z"],"price":9,"size":"S","e":[7,5]}
`, deep)
	got := testsupport.Value(read.Table(strings.NewReader(objects), "a.jsonl", catalogue.Options{})).OrFail(t)
	want := &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"a", "b", "c", "d"}},
		{Name: "tags", Kind: catalogue.Ignored, Texts: []string{`["x","y"]`, "[]", "", `["z"]`}},
		{Name: "offers", Kind: catalogue.Ignored, Texts: []string{`[{"p":1}]`, "", "", ""}},
		{Name: "price", Kind: catalogue.Number, Numbers: []float64{5, math.NaN(), 7, 9}},
		{Name: "x.y.y.y.y.y.y.y", Kind: catalogue.Ignored, Texts: []string{`{"y":1}`, "", "", ""}},
		{Name: "size", Kind: catalogue.Category, Texts: []string{"L", "S", "", "S"}},
		{Name: "e", Kind: catalogue.Embedding, Width: 2, Vectors: []float32{1, 2, 3, 4, 5, 7, 7, 5}},
	}}
	if diff := sameTable(want, got); diff != "" {
		t.Error(diff)
	}
	type nested struct {
		ID   string   `parquet:"id"`
		Tags []string `parquet:"tags"`
		Size []struct {
			Width  int `parquet:"width"`
			Height int `parquet:"height"`
		} `parquet:" size "`
		Raw [16]byte `parquet:"raw,uuid"`
	}
	file := cataloguetest.ParquetFile(t, []nested{{ID: "a", Tags: []string{"x", "y"}}, {ID: "b"}})
	inParquet := testsupport.Value(read.Table(strings.NewReader(file), "a.parquet", catalogue.Options{})).OrFail(t)
	want = &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"a", "b"}},
		{Name: "tags", Kind: catalogue.Ignored, Texts: []string{`["x","y"]`, "[]"}},
		{Name: "size", Kind: catalogue.Ignored, Texts: []string{"", ""}},
		{Name: "raw", Kind: catalogue.Ignored, Texts: []string{"", ""}},
	}}
	if diff := sameTable(want, inParquet); diff != "" {
		t.Error(diff)
	}
	var notes []string
	for _, n := range slices.Concat(got.Notes, inParquet.Notes) {
		notes = append(notes, n.Column+": "+n.Text)
	}
	if diff := cmp.Diff([]string{
		"tags: lists or objects: not used",
		"offers: lists or objects: not used",
		`price: lists or objects: 1 of 4 values, such as "[5,6]" in line 2; taken as missing`,
		"x.y.y.y.y.y.y.y: lists or objects: not used",
		`size: lists or objects: 1 of 4 values, such as "[\"S\",\"L\"]" in line 3; taken as missing`,
		": missing values: options without price (1) get the mean and an indicator; options without size (1) get a level of their own",
		"size: lists of lists or objects: not used", "raw: values of type UUID: not used", "tags: lists or objects: not used",
	}, notes); diff != "" {
		t.Error(diff)
	}
}
