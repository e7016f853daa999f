package read_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
)

// wantShoes is what every format must give.
func wantShoes() *catalogue.Table {
	columns := []catalogue.Column{
		{Name: "id", Kind: catalogue.ID},
		{Name: "label", Kind: catalogue.Label},
		{Name: "image", Kind: catalogue.Image},
		{Name: "price", Kind: catalogue.Number},
		{Name: "weight", Kind: catalogue.Number},
		{Name: "colour", Kind: catalogue.Category},
		{Name: "new", Kind: catalogue.Boolean},
	}
	for _, s := range cataloguetest.Shoes() {
		for i, text := range map[int]string{0: s.ID, 1: s.Label, 2: s.Image, 5: s.Colour, 6: strconv.FormatBool(s.New)} {
			columns[i].Texts = append(columns[i].Texts, text)
		}
		columns[3].Numbers = append(columns[3].Numbers, s.Price)
		columns[4].Numbers = append(columns[4].Numbers, float64(s.Weight))
	}
	return &catalogue.Table{Columns: columns}
}

// sameTable compares tables apart from where they are from and how numbers are written.
func sameTable(want, got *catalogue.Table) string {
	return cmp.Diff(want, got, cmpopts.IgnoreFields(catalogue.Table{}, "Source", "Lines", "Notes"), cmpopts.IgnoreUnexported(catalogue.Column{}))
}

func TestFormatsGiveTheSameTable(t *testing.T) {
	list, err := json.MarshalIndent(cataloguetest.Shoes(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"shoes.csv":      cataloguetest.ShoesCSV(","),
		"shoes.csv.gz":   cataloguetest.Packed(cataloguetest.ShoesCSV(";")),
		"shoes.tsv":      "\ufeff" + strings.ReplaceAll(cataloguetest.ShoesCSV("\t"), "\n", "\r\n"),
		"shoes.jsonl":    cataloguetest.JSONLines(cataloguetest.Shoes()),
		"shoes.json":     string(list),
		"shoes.json.gz":  cataloguetest.Packed(cataloguetest.JSONLines(cataloguetest.Shoes())),
		"shoes.parquet":  cataloguetest.ParquetFile(t, cataloguetest.Shoes()),
		"standard input": cataloguetest.JSONLines(cataloguetest.Shoes()),
		"-":              cataloguetest.ShoesCSV(","),
	}
	folder := t.TempDir()
	for name, content := range files {
		got, err := read.Table(strings.NewReader(content), name, catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := sameTable(wantShoes(), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got.Source != name {
			t.Errorf("%s is called %s", name, got.Source)
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err = read.File(path, catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := sameTable(wantShoes(), got); diff != "" {
			t.Errorf("%s, as a file: %s", name, diff)
		}
	}
}

func TestFormatsGiveTheSameVectors(t *testing.T) {
	want, csv, lines, parquet, npy, ids := cataloguetest.Embeddings(t)
	for name, content := range map[string]string{"e.csv": csv, "e.jsonl": lines, "e.parquet": parquet} {
		got, err := read.Table(strings.NewReader(content), name, catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := sameTable(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, ids := range map[string]string{"e.ids": ids, "e.txt": strings.ReplaceAll(ids, "\n", "\r\n"), "e.csv": "id\n" + ids} {
		got, err := read.NPY(strings.NewReader(npy), "e.npy", strings.NewReader(ids), name, catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := sameTable(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestMatrixOfDoubles: a matrix of 64-bit numbers is read.
func TestMatrixOfDoubles(t *testing.T) {
	matrix := cataloguetest.NPYFile(2, []float64{1, 2, 3, 4, 5, 0.5})
	got, err := read.NPY(strings.NewReader(matrix), "e.npy", strings.NewReader("id,label,price\na,A,1\nb,B,2\n"), "e.csv", catalogue.Options{})
	want := &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"a", "b"}},
		{Name: "label", Kind: catalogue.Label, Texts: []string{"A", "B"}},
		{Name: "price", Kind: catalogue.Number, Numbers: []float64{1, 2}},
		{Name: "e", Kind: catalogue.Embedding, Width: 3, Vectors: []float32{1, 2, 3, 4, 5, 0.5}},
	}}
	if err != nil {
		t.Fatal(err)
	}
	if diff := sameTable(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMissingNumbers: null and NaN are missing numbers in every format.
func TestMissingNumbers(t *testing.T) {
	type row struct {
		Name   string   `parquet:"name" json:"name"`
		Double *float64 `parquet:"double" json:"double"`
		Single *float32 `parquet:"single" json:"single"`
	}
	double, single, nan, singleNaN := 2.5, float32(0.5), math.NaN(), float32(math.NaN())
	present := row{"A", &double, &single}
	for name, content := range map[string]string{
		"a.csv":     "name,double,single\nA,2.5,0.5\nB,,NaN\nC,2.5,0.5\nD,2.5,0.5\n",
		"a.jsonl":   cataloguetest.JSONLines([]row{present, {"B", nil, nil}, present, present}),
		"a.parquet": cataloguetest.ParquetFile(t, []row{present, {"B", nil, nil}, present, present}),
		"b.parquet": cataloguetest.ParquetFile(t, []row{present, {"B", &nan, &singleNaN}, present, present}),
	} {
		got, err := read.Table(strings.NewReader(content), name, catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, column := range []string{"double", "single"} {
			c := got.Column(column)
			if count, first := c.Missing(); c.Kind != catalogue.Number || count != 1 || first != 1 || c.Text(1) != "" || c.Text(2) == "" {
				t.Errorf("%s: %s is %v, %d missing, first %d", name, column, c.Kind, count, first)
			}
		}
	}
}
