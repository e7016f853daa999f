package catalogue_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"bestpick/catalogue"
	"bestpick/catalogue/read"
)

// A shoe is an arm of the catalogue that the tests write in every format.
type shoe struct {
	ID     string  `json:"id" parquet:"id"`
	Label  string  `json:"label" parquet:"label,dict"`
	Image  string  `json:"image" parquet:"image"`
	Price  float64 `json:"price" parquet:"price"`
	Weight int64   `json:"weight" parquet:"weight"`
	Colour string  `json:"colour" parquet:"colour,dict"`
	New    bool    `json:"new" parquet:"new"`
}

func shoes() []shoe {
	random := rand.New(rand.NewPCG(1, 1))
	all := make([]shoe, 300)
	for i := range all {
		all[i] = shoe{
			ID: fmt.Sprintf("s%d", i), Label: fmt.Sprintf("Shoe, \"no %d\"", i/2), Image: fmt.Sprintf("https://example.org/%d.png", i),
			Price: random.NormFloat64(), Weight: random.Int64N(1000), Colour: []string{"red", "green", "blue"}[i%3], New: i%2 == 0,
		}
	}
	return all
}

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
	for _, s := range shoes() {
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
	return cmp.Diff(want, got, cmpopts.IgnoreFields(catalogue.Table{}, "Source", "Lines"), cmpopts.IgnoreUnexported(catalogue.Column{}))
}

func shoesCSV(delimiter string) string {
	var text strings.Builder
	text.WriteString(strings.Join([]string{"id", "label", "image", "price", "weight", "colour", "new"}, delimiter) + "\n")
	for _, s := range shoes() {
		label := `"` + strings.ReplaceAll(s.Label, `"`, `""`) + `"`
		fmt.Fprintln(&text, strings.Join([]string{s.ID, label, s.Image, fmt.Sprint(s.Price), strconv.FormatInt(s.Weight, 10), s.Colour, strconv.FormatBool(s.New)}, delimiter))
	}
	return text.String()
}

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func jsonLines[T any](rows []T) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			panic(err)
		}
	}
	return text.String()
}

func parquetFile[T any](t testing.TB, rows []T) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(100)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormatsGiveTheSameTable(t *testing.T) {
	list, err := json.MarshalIndent(shoes(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"shoes.csv":      shoesCSV(","),
		"shoes.csv.gz":   packed(shoesCSV(";")),
		"shoes.tsv":      "\ufeff" + strings.ReplaceAll(shoesCSV("\t"), "\n", "\r\n"),
		"shoes.jsonl":    jsonLines(shoes()),
		"shoes.json":     string(list),
		"shoes.json.gz":  packed(jsonLines(shoes())),
		"shoes.parquet":  parquetFile(t, shoes()),
		"standard input": jsonLines(shoes()),
		"-":              shoesCSV(","),
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

const width = 9

type listed struct {
	ID string    `json:"id"`
	E  []float32 `json:"e"`
}

type spread struct {
	ID string  `parquet:"id"`
	E1 float32 `parquet:"e_1"`
	E2 float32 `parquet:"e_2"`
	E3 float32 `parquet:"e_3"`
	E4 float32 `parquet:"e_4"`
	E5 float32 `parquet:"e_5"`
	E6 float32 `parquet:"e_6"`
	E7 float32 `parquet:"e_7"`
	E8 float32 `parquet:"e_8"`
	E9 float32 `parquet:"e_9"`
}

// embeddings writes the same vectors in every format.
func embeddings(t testing.TB) (want *catalogue.Table, csv, lines, parquet, npy, ids string) {
	t.Helper()
	random := rand.New(rand.NewPCG(2, 2))
	id := catalogue.Column{Name: "id", Kind: catalogue.ID}
	e := catalogue.Column{Name: "e", Kind: catalogue.Embedding, Width: width}
	var text strings.Builder
	text.WriteString("id,e9,e2,e3,e4,e5,e6,e7,e8,e1\n") // e1 and e9 have changed places
	var asLists []listed
	var asColumns []spread
	for i := range 200 {
		v := make([]float32, width)
		for j := range v {
			v[j] = float32(random.NormFloat64())
		}
		name := fmt.Sprintf("a%d", i)
		id.Texts = append(id.Texts, name)
		e.Vectors = append(e.Vectors, v...)
		asLists = append(asLists, listed{ID: name, E: v})
		asColumns = append(asColumns, spread{name, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]})
		fmt.Fprintln(&text, strings.Trim(strings.ReplaceAll(fmt.Sprint(name, []float32{v[8], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[0]}), " ", ","), "[]"))
	}
	matrix := npyFile(len(id.Texts), e.Vectors)
	want = &catalogue.Table{Columns: []catalogue.Column{id, e}}
	csvText := strings.ReplaceAll(text.String(), "[", ",")
	return want, csvText, jsonLines(asLists), parquetFile(t, asColumns), matrix, strings.Join(id.Texts, "\n") + "\n"
}

func TestFormatsGiveTheSameVectors(t *testing.T) {
	want, csv, lines, parquet, npy, ids := embeddings(t)
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
	matrix := npyFile(2, []float64{1, 2, 3, 4, 5, 0.5})
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
