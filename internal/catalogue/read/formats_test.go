package read_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go/deprecated"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/testsupport"
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

// shoeRows returns the shoes as rows of a sheet.
func shoeRows() [][]any {
	rows := [][]any{{"id", "label", "image", "price", "weight", "colour", "new"}}
	for _, s := range cataloguetest.Shoes() {
		rows = append(rows, []any{s.ID, s.Label, s.Image, s.Price, s.Weight, s.Colour, s.New})
	}
	return rows
}

// sameTable compares tables apart from where they are from and how numbers are written.
func sameTable(want, got *catalogue.Table) string {
	return cmp.Diff(want, got, cmpopts.IgnoreFields(catalogue.Table{}, "Source", "Lines", "Notes", "List", "Headed"),
		cmpopts.IgnoreUnexported(catalogue.Column{}), cmpopts.EquateNaNs())
}

func TestFormatsGiveTheSameTable(t *testing.T) {
	list, err := json.MarshalIndent(cataloguetest.Shoes(), "", " ")
	testsupport.NoError(t, err)
	files := map[string]string{
		"shoes.csv":      cataloguetest.ShoesCSV(","),
		"shoes.csv.gz":   cataloguetest.Packed(cataloguetest.ShoesCSV(";")),
		"shoes.tsv":      "\ufeff" + strings.ReplaceAll(cataloguetest.ShoesCSV("\t"), "\n", "\r\n"),
		"shoes.jsonl":    cataloguetest.JSONLines(cataloguetest.Shoes()),
		"shoes.json":     string(list),
		"shoes.json.gz":  cataloguetest.Packed(cataloguetest.JSONLines(cataloguetest.Shoes())),
		"shoes.xlsx":     cataloguetest.WorkbookFile(t, shoeRows()),
		"shoes.xlsx.gz":  cataloguetest.Packed(cataloguetest.WorkbookFile(t, shoeRows())),
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
		testsupport.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		got, err = file(path, catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := sameTable(wantShoes(), got); diff != "" {
			t.Errorf("%s, as a file: %s", name, diff)
		}
	}
}

func TestFormatsGiveTheSameVectors(t *testing.T) {
	want, csv, lines, parquet, npy, ids := cataloguetest.Embeddings(t)
	for name, content := range map[string]string{
		"e.csv": csv, "e.jsonl": lines, "e.parquet": parquet,
		"lists.parquet": listParquet(t, want),
	} {
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

// listParquet returns the vectors of a table as lists, in one of the ways in which Parquet files have them.
func listParquet(t *testing.T, arms *catalogue.Table) string {
	t.Helper()
	type row struct {
		ID string    `parquet:"id"`
		E  []float32 `parquet:"e,list"`
	}
	var rows []row
	for i, id := range arms.Columns[0].Texts {
		rows = append(rows, row{id, arms.Columns[1].Vector(i)})
	}
	return cataloguetest.ParquetFile(t, rows)
}

// TestParquetTypes: lists as other writers have them, groups, dates, times and decimals.
func TestParquetTypes(t *testing.T) {
	type row struct {
		ID    string    `parquet:"id"`
		Plain []float64 `parquet:"plain"`
		Size  struct {
			Width int32 `parquet:"width"`
			Deep  struct {
				X *float64 `parquet:"x,optional"`
			} `parquet:"deep,optional"`
		} `parquet:"size"`
		Day    int32            `parquet:"day,date"`
		At     time.Time        `parquet:"at,timestamp(microsecond)"`
		Milli  int64            `parquet:"milli,timestamp(millisecond)"`
		Clock  int32            `parquet:"clock,time(millisecond)"`
		Price  int64            `parquet:"price,decimal(2:18)"`
		Amount [9]byte          `parquet:"amount,decimal(3:20)"`
		Old    deprecated.Int96 `parquet:"old"`
	}
	x := 2.5
	day := time.Date(2024, time.February, 29, 13, 5, 0, 500_000, time.UTC)
	rows := []row{
		{
			ID: "a", Plain: []float64{1, 2}, Day: 19_782, At: day, Milli: -1, Clock: 3_600_000, Price: 1234, Amount: [9]byte{8: 7},
			Old: deprecated.Int96{1_000_000_000, 0, 2_440_589},
		},
		{
			ID: "b", Plain: []float64{3, 4}, Day: -1, At: day, Milli: 0, Clock: 1, Price: -5,
			Amount: [9]byte{255, 255, 255, 255, 255, 255, 255, 255, 0},
		},
	}
	for i := range rows {
		rows[i].Size.Width, rows[i].Size.Deep.X = int32(i), &x
		rows[i].Old[2] = 2_440_589
	}
	text := func(name string, texts ...string) catalogue.Column {
		return catalogue.Column{Name: name, Kind: catalogue.Label, Texts: texts}
	}
	kinds := map[string]catalogue.Kind{}
	for i, c := range []catalogue.Column{
		text("day", "2024-02-29", "1969-12-31"), text("at", "2024-02-29T13:05:00.0005", "2024-02-29T13:05:00.0005"),
		text("milli", "1969-12-31T23:59:59.999", "1970-01-01T00:00:00"),
		text("clock", "01:00:00", "00:00:00.001"), text("old", "1970-01-02T00:00:01", "1970-01-02T00:00:00"),
		text("price", "12.34", "-0.05"), text("amount", "0.007", "-0.256"),
	} {
		clear(kinds)
		kinds[c.Name] = catalogue.Label
		got, err := read.Table(strings.NewReader(cataloguetest.ParquetFile(t, rows)), "a.parquet", catalogue.Options{Kinds: kinds})
		testsupport.NoError(t, err)
		if diff := cmp.Diff(&c, got.Column(c.Name), cmpopts.IgnoreUnexported(catalogue.Column{})); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
		for _, want := range []catalogue.Column{
			cataloguetest.Embedding("plain", 2, 1, 2, 3, 4), cataloguetest.Numbers("size.width", 0, 1),
			cataloguetest.Numbers("size.deep.x", 2.5, 2.5),
		} {
			if diff := cmp.Diff(&want, got.Column(want.Name), cmpopts.IgnoreUnexported(catalogue.Column{})); diff != "" {
				t.Error(diff)
			}
		}
	}
	got, err := read.Table(strings.NewReader(cataloguetest.ParquetFile(t, rows)), "a.parquet", catalogue.Options{})
	testsupport.NoError(t, err)
	for _, want := range []catalogue.Column{
		cataloguetest.Numbers("price", 12.34, -0.05),
		cataloguetest.Numbers("amount", 0.007, -0.256),
	} {
		if diff := cmp.Diff(&want, got.Column(want.Name), cmpopts.IgnoreUnexported(catalogue.Column{})); diff != "" {
			t.Error(diff)
		}
	}
}

// TestMatrixWithoutIDs: the rows are numbered, in a file and in an upload.
func TestMatrixWithoutIDs(t *testing.T) {
	matrix := cataloguetest.NPYFile(3, []float32{1, 2, 3, 4, 5, 6})
	path := filepath.Join(t.TempDir(), "e.npy")
	testsupport.NoError(t, os.WriteFile(path, []byte(matrix), 0o600))
	want := cataloguetest.TableOf(cataloguetest.IDs("1", "2", "3"), cataloguetest.Embedding("e", 2, 1, 2, 3, 4, 5, 6))
	for _, from := range []func() (*catalogue.Table, error){
		func() (*catalogue.Table, error) { return file(path, catalogue.Options{}) },
		func() (*catalogue.Table, error) {
			return read.Upload{Name: "e.npy", Contents: strings.NewReader(matrix), Size: int64(len(matrix))}.Table(catalogue.Options{})
		},
	} {
		got, err := from()
		testsupport.NoError(t, err)
		if diff := sameTable(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestMatrixOfDoubles: a matrix of 64-bit numbers is read.
func TestMatrixOfDoubles(t *testing.T) {
	matrix := cataloguetest.NPYFile(2, []float64{1, 2, 3, 4, 5, 0.5})
	got, err := read.NPY(strings.NewReader(matrix), "e.npy", strings.NewReader("id,label,price\na,A,1\nb,B,2\n"), "e.csv",
		catalogue.Options{})
	want := &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"a", "b"}},
		{Name: "label", Kind: catalogue.Label, Texts: []string{"A", "B"}},
		{Name: "price", Kind: catalogue.Number, Numbers: []float64{1, 2}},
		{Name: "e", Kind: catalogue.Embedding, Width: 3, Vectors: []float32{1, 2, 3, 4, 5, 0.5}},
	}}
	testsupport.NoError(t, err)
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
	sameAs(t, "a.jsonl", `{"id":"a","x":1,"y":{"z":[1,2]}}`+"\n"+`{"id":"b","x":2,"y":{"z":3}}`,
		"id,x,y\na,1,\"{\"\"z\"\":[1,2]}\"\nb,2,\"{\"\"z\"\":3}\"\n",
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

// TestLinesOfAWorkbook: problems are in rows of the sheet, blank rows counted.
func TestLinesOfAWorkbook(t *testing.T) {
	file := cataloguetest.WorkbookFile(t, [][]any{
		nil,
		{"id", "price", "note\nin two lines"},
		{"a", 1, "x"},
		nil,
		{"b", 2, "y"},
		{"b", "z", "quoted \"q\", comma"},
		{"c", 4, nil, "beyond"},
	})
	refused(t, "a.xlsx", file, catalogue.Options{},
		`a.xlsx:6: column "id": "b" is the id in line 5 already; change it, or --as id=ignored`,
		"a.xlsx:7: the row has 4 fields, the header has 3")
}

// TestSheetIsChosen: by name, and only in a workbook.
func TestSheetIsChosen(t *testing.T) {
	file := cataloguetest.WorkbookFile(t, [][]any{{"id", "price"}, {"a", 1}, {"b", 2}})
	if _, err := read.Table(strings.NewReader(file), "a.xlsx", catalogue.Options{Sheet: "Sheet1"}); err != nil {
		t.Error(err)
	}
	refused(t, "a.xlsx", file, catalogue.Options{Sheet: "sheet1"}, `a.xlsx: there is no sheet "sheet1"; there are "Sheet1"`)
	refused(t, "a.csv", "id,price\na,1\n", catalogue.Options{Sheet: "Sheet1"}, "a.csv: the file has no sheets; only .xlsx files do")
	refused(t, "a.xlsx", cataloguetest.WorkbookFile(t, nil), catalogue.Options{}, "a.xlsx: the file is empty")
}

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
		{"rows.jsonl", "{\"a\": [1, \"x\"]}\n{\"a\": [1]}\n{\"a\": [2, 3]}\n", "rows.jsonl:1: column \"a\": "},
		{"rows.bin", "a\x00b", "rows.bin: the file is not text"},
	} {
		_, err := read.Rows(strings.NewReader(c.file), c.name)
		if err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %s…", c.name, err, c.says)
		}
	}
}
