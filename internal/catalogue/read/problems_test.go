package read_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// refused reads a file that is wrong and compares what is said about it.
func refused(t *testing.T, name, content string, options catalogue.Options, want ...string) {
	t.Helper()
	_, err := read.Table(strings.NewReader(content), name, options)
	if err == nil {
		t.Errorf("%q is read", content)
	} else if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("%.80q:\n%s\nnot\n%s", content, got, strings.Join(want, "\n"))
	}
}

func TestBadCSV(t *testing.T) {
	none := catalogue.Options{}
	refused(t, "a.csv", "id,x\na,1\nb\nc,3\nd,4,5\n", none,
		"a.csv:3: the row has 1 fields, the header has 2 (and 1 more)")
	refused(t, "a.csv", "id,x\na,1\nb,2\n\na,3\n,4\n", none,
		`a.csv:5: column "id": "a" is the id in line 2 already; change it, or --as id=ignored`,
		`a.csv:6: column "id": the value is missing`)
	refused(t, "a.csv", "id,x,x,\na,1,2,3\n", none, `a.csv:1: column "x": there are two columns of that name`)
	refused(t, "a.csv", "id,x\n", none, "a.csv: there are no rows below the header")
	refused(t, "a.csv", "", none, "a.csv: the file is empty")
	refused(t, "a.csv", "id,x\na,1\nb,\"2\n", none, "a.csv:3: a quoted field is not closed as it should be")
	refused(t, "a.csv", "id,x\na\nb,\"2\n", none,
		"a.csv:2: the row has 1 fields, the header has 2",
		"a.csv:3: a quoted field is not closed as it should be")
	levels := "id,kind\n" + rows(4000, func(i int) string { return fmt.Sprintf("a%d,k%d", i, i/2) })
	refused(t, "a.csv", levels, catalogue.Options{Kinds: map[string]catalogue.Kind{"kind": catalogue.Category}},
		`a.csv: column "kind": 2,000 levels are too many for a category (at most 1,000); merge them, or --as kind=ignored`)
}

// rows returns lines, each made from its number.
func rows(n int, row func(int) string) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(row(i) + "\n")
	}
	return text.String()
}

// TestProblemsAreCounted: similar problems of a column are one line, and at most 20 lines are listed.
func TestProblemsAreCounted(t *testing.T) {
	refused(t, "a.csv", "id,x\n"+strings.Repeat("a\n", 1050), catalogue.Options{},
		"a.csv:2: the row has 1 fields, the header has 2 (and 1,049 more)")
	wide := "id" + cataloguetest.ColumnNames(50) + "\n" + rows(3,
		func(i int) string { return strconv.Itoa(i) + strings.Repeat(",1", 50) }) + "b" + strings.Repeat(",maybe", 50) + "\n"
	_, err := read.Table(strings.NewReader(wide), "a.csv",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"c": catalogue.Boolean}})
	all, are := errors.AsType[*catalogue.Problems](err)
	if !are || len(all.List) != 20 || all.More != 30 {
		t.Fatal(err)
	}
	if first, is := errors.AsType[*table.Error](all.List[0]); !is || first.Line != 5 ||
		!strings.HasSuffix(err.Error(), "\nand 30 more") {
		t.Error(err)
	}
}

func TestBadOverrides(t *testing.T) {
	kinds := func(kinds map[string]catalogue.Kind) catalogue.Options { return catalogue.Options{Kinds: kinds} }
	refused(t, "a.csv", "id,x\na,1\n", kinds(map[string]catalogue.Kind{"y": catalogue.Number}),
		`a.csv:1: column "y": there is no such column; there are id, x`)
	refused(t, "a.csv", "id,Price\na,1\n", kinds(map[string]catalogue.Kind{"price": catalogue.Number}),
		`a.csv:1: column "price": there is no such column; did you mean "Price"?`)
	refused(t, "a.csv", "id,x\na,maybe\nb,yes\n", kinds(map[string]catalogue.Kind{"x": catalogue.Boolean}),
		`a.csv:2: column "x": "maybe" is neither true nor false`)
	refused(t, "a.csv", "id,x\na,maybe\n", kinds(map[string]catalogue.Kind{"x": catalogue.Embedding}),
		`a.csv:1: column "x": one column is no embedding; it takes a list, or several columns`)
	refused(t, "a.csv", "id,x\na,1\n", kinds(map[string]catalogue.Kind{"x": catalogue.Embedding}),
		`a.csv:1: column "x": one column is no embedding; it takes a list, or several columns`)
	refused(t, "a.csv", "id,x\na,b\n", kinds(map[string]catalogue.Kind{"id": catalogue.ID, "x": catalogue.ID}),
		`a.csv:1: column "x": the ids are in column "id" already`)
	refused(t, "a.csv", "id,x,y,label\na,b,c,d\n", kinds(map[string]catalogue.Kind{"x": catalogue.Label, "y": catalogue.Label}),
		`a.csv:1: column "y": the labels are in column "x" already`)
	many := "id,x\n" + rows(10_000, func(i int) string { return fmt.Sprintf("a%d,%d", i, i) })
	refused(t, "a.csv", many, kinds(map[string]catalogue.Kind{"x": catalogue.Category}),
		`a.csv: column "x": 10,000 levels are too many for a category (at most 1,000); merge them, or --as x=ignored`)
	refused(t, "a.jsonl", `{"id":"a","e":[1,2]}`, kinds(map[string]catalogue.Kind{"e": catalogue.Category}),
		`a.jsonl: column "e": lists cannot be of kind category`)
	refused(t, "a.jsonl", `{"id":"a","tags":["x"]}`, kinds(map[string]catalogue.Kind{"tags": catalogue.Category}),
		`a.jsonl: column "tags": lists cannot be of kind category`)
	refused(t, "a.jsonl", `{"id":"a","tags":["x"]}`, kinds(map[string]catalogue.Kind{"tags": catalogue.Embedding}),
		`a.jsonl:1: column "tags": a list must have numbers in it, and nothing else: "[\"x\"]", or --as tags=ignored`)
}

func TestBadJSONLines(t *testing.T) {
	none := catalogue.Options{}
	refused(t, "a.jsonl", "{\"id\":\"a\",\"x\":1}\n\n[1]\n{\"id\":\"b\",\"x\":}\n{\"id\":\"c\",\"x\":2} 3\n", none,
		`a.jsonl:3: an arm is an object in braces, not "[1]"`,
		"a.jsonl:4: this is not JSON: invalid character '}' looking for beginning of value",
		`a.jsonl:5: the line goes on behind the object: " 3"`)
	refused(t, "a.jsonl", "{\"id\":\"b\",\"id\":\"c\",\"x\":\"z\"}\n", none, `a.jsonl:1: column "id": the name is there twice`)
	refused(t, "a.jsonl", "{\"id\":\"a\",\"e\":[1,2]}\n{\"id\":\"b\",\"e\":[1]}\n{\"id\":\"c\",\"e\":[1,null]}\n{\"id\":\"d\",\"e\":[1,\"x\"]}\n{\"id\":\"e\",\"e\":[]}\n{\"id\":\"f\"}\n{\"id\":\"g\",\"e\":[1e39,1]}\n", none,
		`a.jsonl:2: column "e": the list has 1 numbers, others have 2`,
		`a.jsonl:3: column "e2": the value is missing ("null")`,
		`a.jsonl:4: column "e": a list must have numbers in it, and nothing else: "[1,\"x\"]", or --as e=ignored (and 1 more)`,
		`a.jsonl:6: column "e": the value is missing`,
		`a.jsonl:7: column "e1": 1e+39 is too large for an embedding`)
	refused(t, "a.json", "[{\"id\":\"a\"},\n{\"id\":\"a\"}\n]", none,
		`a.json:2: column "id": "a" is the id in line 1 already; change it, or --as id=ignored`)
	refused(t, "a.json", "[{\"id\":\"a\"},\n{\"id\":\"b\"", none, "a.json:2: the JSON ends too early")
	refused(t, "a.json", "{\n \"id\": \"a\",\n \"x\": 1\n}\n{\n", none,
		"a.json:1: the object goes on in the next line; there must be one object a line, or one list of objects")
	refused(t, "a.json", `{"arms": [ {"id":"a"}, {"id":"b"}]}`, none,
		`a.json:1: the rows are in an object, under "arms"; there must be one object a line, or one list of objects`)
	refused(t, "a.jsonl", "{\"id\":\"a\",\"x\": NaN}\n{\"id\":\"b\",\"e\":[1,-Infinity]}\n", none,
		"a.jsonl:1: NaN is not a number of JSON; leave the key out or write null (and 1 more)")
	refused(t, "a.json", "[{\"id\":\"a\"},\n{\"id\":\"b\",\"x\":NaN}]", none,
		"a.json:2: NaN is not a number of JSON; leave the key out or write null")
	refused(t, "a.json", "[]", none, "a.json: there are no objects in the file")
	refused(t, "a.jsonl", "", none, "a.jsonl: there are no objects in the file")
	refused(t, "a.jsonl", "{\"id\":\"äöü\xff\"}", none, `a.jsonl:1: column "id": the text is not UTF-8; save the file as UTF-8`)
}

// TestNotUTF8: UTF-8 with a few bytes that are wrong is refused where they are, in all formats.
func TestNotUTF8(t *testing.T) {
	none := catalogue.Options{}
	type row struct {
		ID   string `parquet:"id"`
		Name string `parquet:"name"`
	}
	refused(t, "a.csv", "id,name,x\näöü,b\xe9,1\nb,c,\xb2\nc,d,3\nd,e,4\n", none,
		`a.csv:2: column "name": the text is not UTF-8; save the file as UTF-8`,
		`a.csv:3: column "x": the text is not UTF-8; save the file as UTF-8`)
	refused(t, "a.csv", "id,äöcaf\xe9\na,1\n", none, `a.csv:1: column "äöcaf\xe9": the text is not UTF-8; save the file as UTF-8`)
	refused(t, "a.jsonl", "{\"id\":1,\"name\":\"äöü\xe9\"}", none,
		`a.jsonl:1: column "name": the text is not UTF-8; save the file as UTF-8`)
	refused(t, "a.jsonl", "{\"id\":\"äöü\",\"\xe9\":1}", none, "a.jsonl:1: the text is not UTF-8; save the file as UTF-8")
	refused(t, "a.parquet", cataloguetest.ParquetFile(t, []row{{"a", "b"}, {"b", "\xe9"}}), none,
		`a.parquet:2: column "name": the text is not UTF-8; save the file as UTF-8`)
	matrix, _ := binary.Append(cataloguetest.NPY("<f4", false, 2, 1), binary.LittleEndian, []float32{1, 2})
	_, err := read.NPY(strings.NewReader(string(matrix)), "e.npy", strings.NewReader("äöü\n\xe9\n"), "e.ids", none)
	if err == nil || err.Error() != "e.ids:2: the text is not UTF-8; save the file as UTF-8" {
		t.Error(err)
	}
}

// TestWrongFile: files of other formats are recognised and rejected.
func TestWrongFile(t *testing.T) {
	none := catalogue.Options{}
	refused(t, "a.xlsx", "PK\x03\x04\x00", none, "a.xlsx: the ZIP archive is damaged")
	refused(t, "a.zip", cataloguetest.ZIP(t, map[string]string{"a": "b"}), none,
		"a.zip: the ZIP archive is not an Excel workbook; unpack it first")
	refused(t, "a.zip", cataloguetest.ZIP(t, map[string]string{"encoding.json": "b"}), none,
		"a.zip: the file is a saved catalogue; its name must end in .npz")
	refused(t, "a.ods", cataloguetest.ZIP(t, map[string]string{"content.xml": "b"}), none,
		"a.ods: this is an OpenDocument spreadsheet; save it as .xlsx or CSV")
	refused(t, "a.xls", "\xd0\xcf\x11\xe0\xa1\xb1", none,
		"a.xls: this is an old Excel file (.xls), or one with a password; save it as .xlsx without a password")
	refused(t, "a.csv", "\x7fELF\x00,\n", none, "a.csv: the file is not text")
	refused(t, "a.jsonl", "{\x00}", none, "a.jsonl: the file is not text")
	refused(t, "-", "# a product\n\ncolour: [red, blue]\n", none,
		"-: the file has attributes and their levels; it is read from a file NAME.yaml")
	refused(t, "a.yml", "colour:\n- red\n", none,
		"a.yml: the file has attributes and their levels; it is read from a file NAME.yaml")
}

// TestSpreadsheets: what spreadsheets add to a table is no problem.
func TestSpreadsheets(t *testing.T) {
	for _, text := range []string{
		"id,x,,\na,1,,\n,,,\nb,2,,\n,,,\n", "sep=;\r\nid;x\r\na;1\r\nb;2\r\n", "id,x\na,1\n   \nb,2\n \n",
		"id\tx\t\na\t1\t\nb\t2\t\n\t\t\n",
	} {
		got, err := read.Table(strings.NewReader(text), "a.csv", catalogue.Options{})
		if err != nil || got.Len() != 2 || len(got.Columns) != 2 {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := recognised(t, "a.csv", "id,x,,\na,1,4,\nb,2,3,\n", nil); got != "id id, x number, column 3 number" {
		t.Error(got)
	}
}

func TestBadParquet(t *testing.T) {
	none := catalogue.Options{}
	type lists struct {
		ID string     `parquet:"id"`
		E  []*float32 `parquet:"e,list"`
	}
	x, large := float32(1), float32(math.Inf(1))
	refused(t, "a.parquet", cataloguetest.ParquetFile(t,
		[]lists{
			{"a", []*float32{&x, &x}},
			{"b", []*float32{&x}},
			{"c", nil},
			{"d", []*float32{&x, nil}},
			{"e", []*float32{&large, &x}},
		}), none,
		`a.parquet:2: column "e": the list has 1 numbers, others have 2`,
		`a.parquet:3: column "e": the value is missing`,
		`a.parquet:4: column "e2": the value is missing`,
		`a.parquet:5: column "e1": "+Inf" is not a finite number`)
	type row struct {
		ID    string   `parquet:"id"`
		X     *float64 `parquet:"x"`
		Count uint32   `parquet:"count"`
	}
	one, nan := 1.0, math.NaN()
	refused(t, "a.parquet", cataloguetest.ParquetFile(t, []row{{"a", &one, 1}, {"b", nil, 2}, {"a", &nan, 3}}), none,
		`a.parquet:3: column "id": "a" is the id in row 1 already; change it, or --as id=ignored`)
	whole := cataloguetest.ParquetFile(t, cataloguetest.Shoes())
	refused(t, "a.parquet", whole[:len(whole)-1], none, "a.parquet: the Parquet file is damaged or incomplete")
	refused(t, "a.parquet", "PAR1", none, "a.parquet: the Parquet file is damaged or incomplete")
	refused(t, "a.parquet", "PAR1"+strings.Repeat("\x00", 100)+whole[len(whole)-2000:], none,
		"a.parquet: the Parquet file is damaged or incomplete")
	refused(t, "a.parquet", cataloguetest.ParquetFile(t, []row{}), none, "a.parquet: there are no rows in the file")
}

func TestBadNPY(t *testing.T) {
	refusedMatrix := func(matrix []byte, want string) {
		t.Helper()
		_, err := read.NPY(strings.NewReader(string(matrix)), "e.npy", strings.NewReader("a\nb\n"), "e.ids", catalogue.Options{})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", matrix, err)
		}
	}
	numbers := func(header []byte, numbers ...float32) []byte {
		matrix, _ := binary.Append(header, binary.LittleEndian, numbers)
		return matrix
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	refusedMatrix(nil, "e.npy: this is not a .npy of NumPy")
	refusedMatrix([]byte("\x93NUMPY\x04\x00"), "e.npy: version 4 of the format is not known; there are 1 to 3")
	refusedMatrix([]byte("\x93NUMPY\x01\x00\x10\x00{"), "e.npy: the header ends too early")
	refusedMatrix([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "e.npy: the header cannot be 4294967295 bytes long")
	refusedMatrix(cataloguetest.NPY("<f4", false, 4), "e.npy: the shape is (4,); it must be (arms, numbers)")
	refusedMatrix(cataloguetest.NPY("<f4", false, 2, 2, 2), "e.npy: the shape is (2,2,2,); it must be (arms, numbers)")
	refusedMatrix(cataloguetest.NPY("<f4", false, 0, 2), "e.npy: the shape (0,2,) is empty")
	refusedMatrix(cataloguetest.NPY("<f4", false, 1<<40, 1<<30), "e.npy: the shape (1099511627776,1073741824,) is too large")
	refusedMatrix(cataloguetest.NPY("<c8", false, 2, 2), `e.npy: the type is "<c8"; it must be a float (f2, f4, f8) or an integer`)
	refusedMatrix(cataloguetest.NPY("|O", false, 2, 2), `e.npy: the type is "|O"; it must be a float (f2, f4, f8) or an integer`)
	refusedMatrix(numbers(cataloguetest.NPY("<f4", false, 2, 2), 1, 2, 3),
		"e.npy: the data end too early: the shape says 2 × 2 numbers")
	refusedMatrix(numbers(cataloguetest.NPY("<f4", false, 1<<30, 2), 1, 2, 3),
		"e.npy: the data end too early: the shape says 1073741824 × 2 numbers")
	refusedMatrix(numbers(cataloguetest.NPY("<f4", false, 2, 1), 1, 2, 3), "e.npy: the file goes on behind its 2 × 1 numbers")
	refusedMatrix(numbers(cataloguetest.NPY("<f4", false, 3, 1), 1, 2, 3), "e.npy: there are 3 rows, but 2 ids in e.ids")
	refusedMatrix(numbers(cataloguetest.NPY("<f4", false, 2, 2), 1, nan, inf, 4),
		"e.npy:1: column \"e2\": the value is missing (\"NaN\")\ne.npy:2: column \"e1\": \"-Inf\" is not a finite number")
	refusedMatrix(numbers(cataloguetest.NPY("<f4", true, 2, 2), 1, nan, inf, 4),
		"e.npy:1: column \"e2\": \"-Inf\" is not a finite number\ne.npy:2: column \"e1\": the value is missing (\"NaN\")")
	doubles, _ := binary.Append(cataloguetest.NPY(">f8", true, 2, 2), binary.BigEndian, []float64{1, -1e300, math.Inf(1), 4})
	refusedMatrix(doubles, "e.npy:1: column \"e2\": \"+Inf\" is not a finite number\ne.npy:2: column \"e1\": -1e+300 is too large for an embedding")
	_, err := read.NPY(strings.NewReader(string(numbers(cataloguetest.NPY("<f4", false, 3, 1), 1, 2, 3))), "e.npy",
		strings.NewReader("a\n\na\n"), "e.ids", catalogue.Options{})
	if want := "e.ids:2: column \"id\": the value is missing\ne.ids:3: column \"id\": \"a\" is the id in line 1 already; change it, or --as id=ignored"; err == nil || err.Error() != want {
		t.Error(err)
	}
	refused(t, "e.npy", string(cataloguetest.NPY("<f4", false, 2, 2)), catalogue.Options{},
		"e.npy: the data end too early: the shape says 2 × 2 numbers")
}

// TestFiles: what only a file has: the ids beside a .npy, images, a size.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	write := func(name string, content []byte) {
		testsupport.NoError(t, os.WriteFile(name, content, 0o600))
	}
	fails := func(name, want string) {
		t.Helper()
		if _, err := file(name, catalogue.Options{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	matrix, _ := binary.Append(cataloguetest.NPY("<f4", false, 2, 1), binary.LittleEndian, []float32{1, 2})
	write("e.npy", matrix)
	write("e.csv", []byte("id,label\na,A\nb,B\n"))
	table, err := file(filepath.Join(folder, "e.npy"), catalogue.Options{})
	if err != nil || table.Len() != 2 || table.First(catalogue.Label) == nil {
		t.Error(table, err)
	}
	write("other", []byte("x\ny\n"))
	table, err = file("e.npy", catalogue.Options{IDs: "other"})
	if err != nil || table.First(catalogue.ID).Texts[1] != "y" {
		t.Error(table, err)
	}
	write("e.npy", matrix[:len(matrix)-1])
	fails("e.npy", fmt.Sprintf("e.npy: the file has %d bytes, but 2 × 1 numbers of type <f4 take %d", len(matrix)-1, len(matrix)))
	fails("none.csv", "none.csv: no such file or directory")
	write("here.png", nil)
	write("a.csv", []byte("id,image\na,here.png\nb,there.png\nc,NA\nd,https://example.org/x\ne,"+filepath.Join(folder,
		"here.png")+"\nf,"+filepath.Join("..", filepath.Base(folder))+"\n"))
	fails("a.csv", "a.csv:3: column \"image\": there is no file \"there.png\" (and 1 more)")
}

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
	refused(t, "a.json", "["+strings.ReplaceAll(strings.TrimSpace(objects), "\n", ",\n")+"]", none,
		"a.json:10000: the file has more than 10,000 columns")
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

// file reads a table of arms from a file.
func file(path string, options catalogue.Options) (*catalogue.Table, error) {
	u, options, closeFile, err := read.OpenFile(path, options)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	return u.Table(options)
}
