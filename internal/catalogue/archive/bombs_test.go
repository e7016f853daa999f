//go:build !race

package archive_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

const (
	bombMemory = 64 << 20  // bytes that rejecting a bomb may take
	unpacked   = 100 << 20 // bytes of a compressed bomb
	longRow    = 80 << 20  // bytes
)

// rejected fails unless an upload is rejected with one line and little memory.
func rejected(t *testing.T, u read.Upload, want string) {
	t.Helper()
	u.Limits = uploadLimits()
	var err error
	var peak int64
	for range 3 { // on a busy machine garbage may be collected late, but not every time
		peak = cataloguetest.PeakMemory(func() { _, err = archive.OpenUpload(u, catalogue.Options{}, 0) })
		if peak <= bombMemory {
			break
		}
	}
	if err == nil || err.Error() != want {
		t.Errorf("%s: %.300v\nwant %s", u.Name, err, want)
	}
	if _, placed := errors.AsType[*table.Error](err); err != nil && !placed {
		t.Errorf("%s: %T", u.Name, err)
	}
	if peak > bombMemory {
		t.Errorf("%s: %q takes %d MB", u.Name, want, peak>>20)
	}
}

// long is an upload of one endless row.
func long(name, start string, size int64) read.Upload {
	return read.Upload{Name: name, Contents: cataloguetest.LongFile{Start: start, Fill: 'x', Size: size}, Size: size}
}

// TestTextBombs: delimited text and JSON with too many rows, too long rows or too many columns,
// compressed or not.
func TestTextBombs(t *testing.T) {
	const rows, columns, row = "the file has more than 200,000 rows", "the file has more than 10,000 columns",
		"the row is longer than 4 MB"
	for _, c := range []struct{ name, text, want string }{
		{"rows.csv.gz", cataloguetest.GzipBomb("id,price\n", "a,1\n", unpacked), "rows.csv.gz:200002: " + rows},
		{
			"bytes.csv.gz", cataloguetest.GzipBomb("id,price\n", "a,1\n", 280<<20),
			"bytes.csv.gz: the contents of the file are larger than 256 MB",
		},
		{"bytes.jsonl", cataloguetest.GzipBomb("", "{}\n", 280<<20), "bytes.jsonl: the contents of the file are larger than 256 MB"},
		{"twice.csv", cataloguetest.Packed(cataloguetest.Packed("id,x\na,1\n")), "twice.csv: the file is compressed twice"},
		{"ragged.csv.gz", cataloguetest.GzipBomb("id,price\n", "a\n", unpacked), "ragged.csv.gz:200002: " + rows},
		{"row.csv.gz", cataloguetest.GzipBomb("id,price\na,", "1", longRow), "row.csv.gz:2: " + row},
		{
			"quote.csv.gz", cataloguetest.GzipBomb("id,price\na,\"", "1\n", longRow),
			"quote.csv.gz:2: a quoted field is not closed as it should be",
		},
		{"header.csv.gz", cataloguetest.GzipBomb("id,", "x,", longRow), "header.csv.gz:1: " + columns},
		{"fields.csv.gz", cataloguetest.GzipBomb("id,price\n\"a\",", "1,", longRow), "fields.csv.gz:2: " + columns},
		{"wide.csv.gz", cataloguetest.GzipBomb("id"+cataloguetest.ColumnNames(9999)+"\n", "a"+strings.Repeat(",a", 9999)+"\n",
			unpacked), "wide.csv.gz:2001: the file has more than 20,000,000 values in all"},
		{"rows.jsonl.gz", cataloguetest.GzipBomb("", `{"id":"a","price":1}`+"\n", unpacked), "rows.jsonl.gz:200001: " + rows},
		{"none.jsonl.gz", cataloguetest.GzipBomb("", "1\n", unpacked), "none.jsonl.gz:200001: " + rows},
		{"row.jsonl.gz", cataloguetest.GzipBomb(`{"id":"`, "x", longRow), "row.jsonl.gz:1: " + row},
		{"keys.jsonl.gz", cataloguetest.GzipBomb(`{"id":1`, `,"x":1`, longRow), "keys.jsonl.gz:1: " + row},
		{"names.jsonl", `{"id":1` + strings.Repeat(`,"x":1`, 600_000) + "}", "names.jsonl:1: " + columns},
		{"rows.json.gz", cataloguetest.GzipBomb(`[{"id":"a"}`, `,{"id":"a","price":1}`, unpacked), "rows.json.gz:1: " + rows},
		{"row.json.gz", cataloguetest.GzipBomb("[\n{\"id\":\"", "x", longRow), "row.json.gz:2: " + row},
		{"space.json.gz", cataloguetest.GzipBomb(`[{"id":"a"},`, "\n", longRow), "space.json.gz:4194805: " + row},
		{"vector.jsonl", fmt.Sprintf(`{"id":"a","e":[1%s]}`, strings.Repeat(",1", 16_383)) + strings.Repeat("\n{\"id\":\"b\"}",
			150_000), "vector.jsonl:2: the file has more than 20,000,000 values in all"},
	} {
		rejected(t, uploaded(c.name, c.text), c.want)
	}
	rejected(t, long("row.csv", "id,price\na,", longRow), "row.csv:2: "+row)
	rejected(t, long("row.jsonl", `{"id":"`, longRow), "row.jsonl:1: "+row)
	rejected(t, long("row.json", `[{"id":"`, longRow), "row.json:1: "+row)
}

// TestParquetUploads: the library allocates what a Parquet file declares, so uploads of it are refused unread.
func TestParquetUploads(t *testing.T) {
	const refused = ": Parquet files cannot be uploaded; save the table as CSV, .xlsx or JSON Lines, " +
		"or upload the .npz that 'bestpick catalogue' makes of it"
	file := cataloguetest.ParquetFile(t, cataloguetest.Shoes())
	rejected(t, uploaded("a.parquet", file), "a.parquet"+refused)
	rejected(t, uploaded("a", file[:len(file)/2]), "a"+refused)
	rejected(t, uploaded("a.parquet.gz", cataloguetest.Packed(file)), "a.parquet.gz"+refused)
	rejected(t, uploaded("packed.parquet", cataloguetest.GzipBomb(file[:4], "\x00", unpacked)), "packed.parquet"+refused)
}

// TestWorkbookBombs: workbooks of a few bytes whose XML is large, whose sheets have too many rows,
// columns or values, or whose cells share a long text.
func TestWorkbookBombs(t *testing.T) {
	const cell = `<c t="inlineStr"><is><t>id</t></is></c>`
	const long, large = 3 << 20, bombMemory + 16<<20 // more than may be in memory
	many := func(text string, size int) string { return strings.Repeat(text, size/len(text)) }
	shared := func(text string) map[string]string { return map[string]string{"xl/sharedStrings.xml": text} }
	for _, c := range []struct {
		file func() string // so that its XML is garbage when it is read
		want string
	}{
		{func() string {
			return cataloguetest.RawWorkbook(t, `<sheetData><row>`+cell+`</row>`+many(`<row><c><v>1</v></c></row>`, large), nil)
		}, "b.xlsx:200002: the file has more than 200,000 rows"},
		{
			func() string { return cataloguetest.RawWorkbook(t, `<sheetData><row>`+many(cell, large), nil) },
			"b.xlsx: the workbook is damaged: row 1: a cell is out of order or beyond column 16384",
		},
		{func() string {
			return cataloguetest.RawWorkbook(t, `<sheetData><row>`+many(cell, 12_000*len(cell))+`</row>`, nil)
		}, "b.xlsx:1: the file has more than 10,000 columns"},
		{func() string {
			return cataloguetest.RawWorkbook(t, `<sheetData><row>`+many(cell, 1000*len(cell))+`</row>`+many(`<row><c><v>1</v></c></row>`,
				10<<20), nil)
		}, "b.xlsx:20001: the file has more than 20,000,000 values in all"},
		{func() string {
			return cataloguetest.RawWorkbook(t, `<sheetData><row>`+cell+`</row>`+many(`<row><c t="s"><v>0</v></c></row>`, 1<<20),
				shared("<sst><si><t>"+many("x", long)+"</t></si></sst>"))
		}, "b.xlsx:87: the contents of the file are larger than 256 MB"},
		{func() string {
			return cataloguetest.RawWorkbook(t, `<sheetData><row><c t="str"><v>`+many("x", large), nil)
		}, "b.xlsx: the row is longer than 4 MB"},
		{
			func() string { return cataloguetest.RawWorkbook(t, `<sheetData><row `+many("a", large), nil) },
			"b.xlsx: the row is longer than 4 MB",
		},
		{
			func() string { return cataloguetest.RawWorkbook(t, many("<a>", large), nil) },
			"b.xlsx: the workbook's XML is nested more than 64 levels deep",
		},
		{
			func() string { return cataloguetest.RawWorkbook(t, many(" ", 257<<20), nil) },
			"b.xlsx: the contents of the file are larger than 256 MB",
		},
		{
			func() string { return cataloguetest.RawWorkbook(t, "", shared("<sst>"+many("<si/>", 65<<20))) },
			"b.xlsx: xl/sharedStrings.xml in the ZIP archive is larger than 64 MB",
		},
		{func() string {
			return cataloguetest.RawWorkbook(t, "", map[string]string{"xl/styles.xml": "<x>" + many("<xf/>", 9<<20)})
		}, "b.xlsx: xl/styles.xml in the ZIP archive is larger than 8 MB"},
	} {
		file := c.file()
		if len(file) > 2<<20 {
			t.Errorf("%s: %d bytes", c.want, len(file))
		}
		rejected(t, uploaded("b.xlsx", file), c.want)
	}
}

// TestMatrixBombs: a .npy that lies about its shape, or is too large, with ids that are too many.
func TestMatrixBombs(t *testing.T) {
	const large = 250 << 20
	ids := uploaded("ids.txt", "a\nb\n")
	for _, c := range []struct {
		shape []int
		descr string
		size  int64
		want  string
	}{
		{[]int{1 << 30, 1}, "<f4", 1000, "m.npy: the file has more than 200,000 rows"},
		{[]int{2, 1 << 38}, "<f4", 1000, "m.npy: 2 × 274,877,906,944 numbers take more than 256 MB in memory"},
		{[]int{100_000, 100}, "<f4", 1000, "m.npy: the file has 1,000 bytes, but 100000 × 100 numbers of type <f4 take 40,000,077"},
		{[]int{large, 1}, "|i1", large, "m.npy: the file has more than 200,000 rows"},
		{[]int{2, large / 2}, "|i1", large, "m.npy: 2 × 131,072,000 numbers take more than 256 MB in memory"},
	} {
		header := string(cataloguetest.NPY(c.descr, false, c.shape...))
		size := c.size
		if size == large {
			size += int64(len(header))
		}
		u := read.Upload{Name: "m.npy", Contents: cataloguetest.LongFile{Start: header, Size: size}, Size: size, IDs: &ids}
		rejected(t, u, c.want)
	}
	matrix := uploaded("m.npy", smallMatrix(t))
	bomb := uploaded("ids.txt", cataloguetest.GzipBomb("", "a\n", 280<<20))
	matrix.IDs = &bomb
	rejected(t, matrix, "ids.txt: the contents of the file are larger than 256 MB")
	for name, want := range map[string]string{
		"ids.txt": "ids.txt:200001: the file has more than 200,000 rows",
		"ids.csv": "ids.csv:200002: the file has more than 200,000 rows",
	} {
		many := uploaded(name, cataloguetest.GzipBomb("id\n", "a\n", unpacked))
		matrix.IDs = &many
		rejected(t, matrix, want)
		wide := long(name, "id\n", longRow)
		matrix.IDs = &wide
		rejected(t, matrix, name+":2: the row is longer than 4 MB")
	}
}

// TestArchiveBombs: a saved catalogue has no more than limits allow in any of its files.
func TestArchiveBombs(t *testing.T) {
	text := func(start, repeated string, times int) string { return start + strings.Repeat(repeated, times) }
	const header = "id,label,description\n"
	for _, c := range []struct{ part, contents, want string }{
		{"arms.csv", text(header, "a,b,c\n", 200_001), "s.npz: arms.csv:200002: the file has more than 200,000 rows"},
		{"arms.csv", text(header+"a,", "x", 20<<20), "s.npz: arms.csv:2: the row is longer than 4 MB"},
		{"arms.csv", text(header, "a,", 1<<20), "s.npz: arms.csv:2: the file has more than 10,000 columns"},
		{"encoding.json", text(`{"columns":[{}`, ",{}", 200_000), "s.npz: encoding.json: the file has more than 100,000 objects"},
		{"encoding.json", text("{", " ", 17<<20), "s.npz: encoding.json: the contents of the file are larger than 16 MB"},
		{
			"features.npy", string(cataloguetest.NPY("<f4", false, 1<<30, 7)),
			"s.npz: the saved catalogue is damaged: features.npy: it is not 3 features of 4 arms",
		},
	} {
		file := rewritten(t, c.part, zip.Store, func(string) string { return c.contents })
		rejected(t, uploaded("s.npz", string(file)), c.want)
	}
	var directory bytes.Buffer
	w := zip.NewWriter(&directory)
	for i := range 200_000 {
		if _, err := w.CreateHeader(&zip.FileHeader{Name: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	testsupport.NoError(t, w.Close())
	rejected(t, uploaded("s.npz", directory.String()), "s.npz: the file is no saved catalogue, or it is damaged")
}

// TestProfileBombs: YAML whose nodes or aliases take much more memory than its text.
func TestProfileBombs(t *testing.T) {
	var levels, attributes strings.Builder
	for i := range 900 {
		fmt.Fprintf(&levels, "%d,", i)
		fmt.Fprintf(&attributes, "c%d: *l\n", i)
	}
	list := "b: &l [" + levels.String() + "x]\n"
	for _, c := range []struct{ text, want string }{
		{list + attributes.String(), "p.yaml: there are more than 1000000000 profiles"},
		{
			list + "c: *l\nforbidden:\n" + strings.Repeat("- {b: *l, c: *l}\n", 10_000),
			"p.yaml:59: forbidden: the combinations have more than 100,000 levels in all",
		},
		{"a: [" + strings.Repeat("x,", 120_000) + "x]\n", `p.yaml:1: attribute "a": 120001 levels are too many (at most 1000)`},
		{
			"a: {" + strings.Repeat("x,", 120_000) + "x}\n",
			`p.yaml:1: attribute "a": a list of levels is expected, such as [10, 12, 15]`,
		},
		{strings.Repeat("x: [1]\n", 1<<18), "p.yaml: the contents of the file are larger than 256 KB"},
	} {
		rejected(t, uploaded("p.yaml", c.text), c.want)
	}
}

// TestLimitsOfAddedArms: a study has no more arms than a file may have, however many files they come
// in.
func TestLimitsOfAddedArms(t *testing.T) {
	saved := savedPhones(t)
	u := uploaded("more.csv", "id,brand,price,wifi\nx,acme,1,true\ny,acme,2,true\n")
	u.Limits.Rows = saved.Arms.Len() + 1
	_, err := saved.Add(uploaded("more.csv", cataloguetest.Packed(cataloguetest.Packed("id\n"))), catalogue.Options{})
	if err == nil || err.Error() != "more.csv: the file is compressed twice" {
		t.Error(err)
	}
	_, err = saved.Add(u, catalogue.Options{})
	if want := fmt.Sprintf("more.csv: there would be %d arms, and a study can have %d", saved.Arms.Len()+2,
		saved.Arms.Len()+1); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLimitsOfFeatures: arms whose features take too much memory are not encoded.
func TestLimitsOfFeatures(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,level\n")
	for i := range 2000 {
		fmt.Fprintf(&text, "%d,l%d\n", i, i%500)
	}
	u := uploaded("a.csv", text.String())
	u.Limits.Bytes = 1 << 20
	_, err := archive.OpenUpload(u, catalogue.Options{Kinds: map[string]catalogue.Kind{"level": catalogue.Category}}, 0)
	if want := "a.csv: 2,000 arms of 499 features take more than 1 MB in memory"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLargeUploadsWithinLimits: files at the limits are read.
func TestLargeUploadsWithinLimits(t *testing.T) {
	const arms = 200_000
	var csv, lines strings.Builder
	csv.WriteString("id,price\n")
	matrix, ids := cataloguetest.NPY("<f4", false, arms, 2), strings.Builder{}
	for i := range arms {
		fmt.Fprintf(&csv, "a%d,%d\n", i, i%1000)
		fmt.Fprintf(&lines, "{\"id\":\"a%d\",\"price\":%d}\n", i, i%1000)
		fmt.Fprintf(&ids, "a%d\n", i)
		matrix, _ = binary.Append(matrix, binary.LittleEndian, []float32{float32(i), float32(i % 7)})
	}
	names := uploaded("m.ids", ids.String())
	vectors := uploaded("m.npy", string(matrix))
	vectors.IDs = &names
	for _, u := range []read.Upload{
		uploaded("a.csv", csv.String()), uploaded("a.csv.gz", cataloguetest.Packed(csv.String())), uploaded("a.jsonl", lines.String()),
		vectors,
	} {
		u.Limits = uploadLimits()
		read, err := archive.OpenUpload(u, catalogue.Options{}, 0)
		if err != nil || read.Arms.Len() != arms {
			t.Errorf("%s: %v", u.Name, err)
		}
	}
}
