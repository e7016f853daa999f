package table_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// readAll returns the header and the rows of a table.
func readAll(source io.Reader) (header []string, rows [][]string, err error) {
	r, err := table.NewReader(source, "t.csv", table.Limits{})
	if err != nil {
		return nil, nil, err
	}
	err = r.Each(func() error {
		var row []string
		for column := range r.Header() {
			row = append(row, strings.Clone(r.Text(column)))
		}
		rows = append(rows, row)
		return nil
	})
	return r.Header(), rows, err
}

func TestReaderDelimiters(t *testing.T) {
	for name, text := range map[string]string{
		"comma":              "a,b\n1,x y\n",
		"semicolon":          "a;b\n1;x y\n",
		"bar":                "a|b\n1|x y\n",
		"tab":                "a\tb\n1\tx y\n",
		"quoted semicolons":  "\"a\",\"b\"\n1,\"x y\"\n",
		"carriage returns":   "a,b\r\n1,x y\r\n",
		"spaces":             " a , b \n 1 , x y \n",
		"leading blank line": "\na;b\n1;x y\n",
		"blank rows":         " \n,,\na,b\n  \n,,,\n1,x y\n,\n\"\",\"\"\n\t\n",
		"said semicolon":     "sep=;\r\na;b\r\n1;x y\r\n",
		"said bar":           "SEP=|\na|b\n1|x y\n",
	} {
		header, rows, err := readAll(strings.NewReader(text))
		if err != nil || fmt.Sprint(header, rows) != "[a b] [[1 x y]]" {
			t.Errorf("%s: %v %v %v", name, header, rows, err)
		}
	}
	for text, want := range map[string][]string{
		"a;b\tc\n": {"a", "b\tc"}, "a,b;c\n": {"a", "b;c"}, "a,b\tc\n": {"a", "b\tc"}, "a;b\tc\td\n": {"a;b", "c", "d"},
		"\na;b\n1,2,3\n": {"a", "b"},
	} {
		r, err := table.NewReader(strings.NewReader(text), "t.csv", table.Limits{})
		if err != nil || !slices.Equal(r.Header(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, _, err := readAll(strings.NewReader("sep=;\na;b\n1\n")); err == nil ||
		err.Error() != "t.csv:3: the row has 1 fields, the header has 2" {
		t.Errorf("the line of the separator counts: %v", err)
	}
	header, rows, err := readAll(strings.NewReader("\"a;b\",c\n\"1;2;3\",\"say \"\"hi\"\", twice\"\n"))
	if err != nil || !slices.Equal(header, []string{"a;b", "c"}) || !slices.Equal(rows[0], []string{"1;2;3", `say "hi", twice`}) {
		t.Errorf("quoted delimiters: %q %q %v", header, rows, err)
	}
}

// TestReaderPassesOnFailures: what reading fails with can be told from the error.
func TestReaderPassesOnFailures(t *testing.T) {
	broken := errors.New("the wire was cut")
	for _, after := range []string{"", "a,b\n", "a,b\n1,2\n"} {
		_, _, err := readAll(io.MultiReader(strings.NewReader(after), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "t.csv") {
			t.Errorf("after %q: %v", after, err)
		}
	}
}

// FuzzReader: whatever the bytes, a row has as many fields as the header, or there
// is one line that names the file.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "a;b\r\n\"1\";2", "\ufeffa\tb\n", "", "\x1f\x8b\x08", "a\n\"", "\"a\n\"\n1",
		"a,b\n1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		header, rows, err := readAll(bytes.NewReader(text))
		if err != nil {
			var where *table.Error
			if !errors.As(err, &where) || where.File != "t.csv" || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, row := range rows {
			if len(row) != len(header) {
				t.Fatalf("%d fields below %d columns", len(row), len(header))
			}
		}
	})
}

// fieldsByTheLibrary returns the fields below the header of a table of two columns with their lines, and
// the error at which reading ends, by encoding/csv.
func fieldsByTheLibrary(text string) (fields []string, problem string) {
	library := csv.NewReader(strings.NewReader(text))
	_, _ = library.Read() // the header
	for {
		row, err := library.Read()
		malformed, _ := errors.AsType[*csv.ParseError](err)
		switch blank := strings.TrimSpace(strings.Join(row, "")) == ""; {
		case errors.Is(err, io.EOF) && fields == nil:
			return nil, "t.csv: " + table.NoRows().Text
		case errors.Is(err, io.EOF):
			return fields, ""
		case errors.Is(err, csv.ErrQuote):
			return fields, fmt.Sprintf("t.csv:%d: a quoted field is not closed as it should be", malformed.StartLine)
		case errors.Is(err, csv.ErrBareQuote):
			return fields, fmt.Sprintf("t.csv:%d: a quote stands in the middle of a field (character %d); "+
				"leave it out, or put the field in quotes and write the quote twice", malformed.Line, malformed.Column)
		case blank:
		case errors.Is(err, csv.ErrFieldCount):
			return fields, fmt.Sprintf("t.csv:%d: %s", malformed.Line, table.Ragged(len(row), 2))
		default:
			for column, field := range row {
				line, _ := library.FieldPos(column)
				fields = append(fields, fmt.Sprintf("%d: %s", line, field))
			}
		}
	}
}

// equalsLibrary fails where fields, their lines or errors below the header "a,b" are not those of encoding/csv.
func equalsLibrary(t *testing.T, text string) {
	t.Helper()
	text = "a,b\n" + text
	r, err := table.NewCSVReader(strings.NewReader(text), "t.csv", table.Limits{})
	testsupport.NoError(t, err)
	var fields []string
	err = r.Each(func() error {
		for column, field := range r.Row() {
			at, _ := errors.AsType[*table.Error](r.Errorf(column, "x"))
			fields = append(fields, fmt.Sprintf("%d: %s", at.Line, field))
		}
		return nil
	})
	want, problem := fieldsByTheLibrary(text)
	if !slices.Equal(fields, want) || says(err) != problem {
		t.Fatalf("%.1000q:\n%.1000q %v, but encoding/csv:\n%.1000q %s", text, fields, err, want, problem)
	}
}

func TestReaderEqualsLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	pieces := []string{
		"\"", "\"\"", ",", ",", "\n", "\r\n", "\r", "x", " y ", "\"a,\nb\"", "\"\r\n\"\"b\"", "é", "1,2\n",
		"\"3\n\",4\n",
	}
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(10) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		equalsLibrary(t, text.String())
	}
}

// TestLongFields: quoted fields may have many lines and be longer than buffers, and sources may be slow.
func TestLongFields(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	for text.Len() < 2<<20 {
		if random.IntN(20) == 0 {
			fmt.Fprintf(&text, "\"%s\",x\r\n\n", strings.Repeat("a \"\"quoted\"\"\nline, ", random.IntN(2000)))
		} else {
			fmt.Fprintf(&text, "%d,%q\n", random.IntN(1000), strings.Repeat("y", random.IntN(1000)))
		}
	}
	equalsLibrary(t, text.String())
	_, rows, err := readAll(iotest.OneByteReader(strings.NewReader("a,b\n\"1\n2\",3\r\n4,5")))
	if err != nil || fmt.Sprint(rows) != "[[1\n2 3] [4 5]]" {
		t.Errorf("in small portions: %q %v", rows, err)
	}
}

// FuzzEqualsLibrary: any UTF-8 text is split as encoding/csv splits it, or both refuse.
func FuzzEqualsLibrary(f *testing.F) {
	for _, seed := range []string{
		"1,2\n", "\"1\",\"2\n3\"\r\n", "\r", "\"\"\"\"\r", "\"a\r\n\"", "a\"b", "\"a\"b\n",
		",\n,\r\n\n", "\"a",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { equalsLibrary(t, string(bytes.ToValidUTF8(text, []byte("?")))) })
}

// TestMalformed: what is wrong with a whole file, or a row without an end, whose memory is bounded.
func TestMalformed(t *testing.T) {
	for text, want := range map[string]string{
		"":           "t.csv: the file is empty",
		"\n\n":       "t.csv: the file is empty",
		",,\n \n,":   "t.csv: the file is empty",
		"a,b\r1,2\r": "t.csv: the lines end in carriage returns alone; save it with line feeds",
		"a,\"b\n1,2": "t.csv:1: a quoted field is not closed as it should be",
	} {
		if _, _, err := readAll(strings.NewReader(text)); says(err) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	for start, want := range map[string]string{
		"1,2\n\"3,4\n": "t.csv:3: a quoted field is not closed as it should be",
		"1,2\n":        "t.csv:3: the row is longer than 64 MB",
	} {
		endless := io.MultiReader(strings.NewReader("a,b\n"+start), io.LimitReader(zeros{}, 1<<30))
		if _, _, err := readAll(endless); says(err) != want {
			t.Errorf("%q: %v", start, err)
		}
	}
}

// zeros reads as 0 without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestReaderFailsAfterRows: the rows before a failure of reading are delivered, and the error has the
// line after them.
func TestReaderFailsAfterRows(t *testing.T) {
	broken := errors.New("the wire was cut")
	source := io.MultiReader(strings.NewReader("a,b\n1,2\n3,4\n5,"), iotest.ErrReader(broken))
	_, rows, err := readAll(source)
	if fmt.Sprint(rows) != "[[1 2] [3 4]]" || !errors.Is(err, broken) || err.Error() != "t.csv:4: the wire was cut" {
		t.Errorf("%q, %v", rows, err)
	}
}

// TestLimitIsCause: an error of a file that exceeds its limits can be told from others.
func TestLimitIsCause(t *testing.T) {
	for text, want := range map[string]bool{"a\n1\n2\n3\n": true, "a,b\n1,2\n2,3,4\n": false} {
		if err := readWithin(strings.NewReader(text), table.Limits{Rows: 2}); err == nil || errors.Is(err, table.ErrLimit) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	testsupport.NoError(t, w.Close())
	return out.String()
}

// TestCheckPacked: nothing is said but that a file is too large when it is unpacked, or packed twice.
func TestCheckPacked(t *testing.T) {
	const most = 1 << 20
	full := strings.Repeat("x", most)
	for name, c := range map[string]struct{ file, says string }{
		"nothing":    {"", ""},
		"plain":      {full + full, ""},
		"packed":     {packed(t, full), ""},
		"a byte":     {packed(t, full+"x"), "a: the contents of the file are larger than 1 MB"},
		"two pieces": {packed(t, full) + packed(t, "x"), "a: the contents of the file are larger than 1 MB"},
		"twice":      {packed(t, packed(t, "x")), "a: the file is compressed twice"},
		"half":       {packed(t, full)[:100], ""},
		"a start":    {"\x1f\x8b", ""},
		"no gzip":    {"\x1f\x8bxxxxxxxxxxxxxxxxxxxxxxxx", ""},
	} {
		err := table.CheckPacked(strings.NewReader(c.file), "a", most)
		if (err == nil) != (c.says == "") || err != nil && err.Error() != c.says {
			t.Errorf("%s: got %v, want %s", name, err, c.says)
		}
	}
}

// TestLineCounter: however text is read, each place is on the line that feeds before it make.
func TestLineCounter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.SampledFrom([]byte("a\n"))).Draw(t, "text")
		places := rapid.SliceOf(rapid.IntRange(0, len(text))).Draw(t, "places")
		slices.Sort(places)
		source := io.Reader(bytes.NewReader(text))
		if rapid.Bool().Draw(t, "byte by byte") {
			source = iotest.OneByteReader(source)
		}
		lines := table.NewLineCounter(source)
		if got, err := io.ReadAll(lines); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%q, %v", got, err)
		}
		for _, place := range append(places, len(text)) {
			if got, want := lines.LineAt(int64(place)), 1+bytes.Count(text[:place], []byte("\n")); got != want {
				t.Fatalf("place %d of %q is on line %d, not %d", place, text, got, want)
			}
		}
		if got, want := lines.LastLine(), 1+bytes.Count(text, []byte("\n")); got != want {
			t.Fatalf("%q ends on line %d, not %d", text, got, want)
		}
	})
}

// TestDelimitersOfLists: below a first line without delimiters, they are punctuation if their numbers
// differ or spaces follow them. Otherwise the rows have too many fields.
func TestDelimitersOfLists(t *testing.T) {
	for text, want := range map[string]int{
		"headline\nRent, or buy?\nSave; spend, or both\nWait\n": 1,
		"headline\nOne, two; three\nFour, five; six\n":          1,
		"price\n2,5\n1\n":          1,
		"\nheadline\n\nA, b\nC, d": 1,
		"headline\n\"A, b\"\nC\n":  1,
		"Mugs, mugs, mugs\nThe mug, reinvented\nCoffee that waits\nHot, strong\n": 1,
		"headline\na\tb, c\nd;e, f\n":            1,
		"list\na, b; c\td|e\nf\n":                2, // a delimiter is needed that no line has
		"Prices of spring\nid,price\na,1\nb,2\n": 2,
		"id\na,1\nb,2\n":                         2,
		"id, price\na, 1\n":                      2,
		"a;b\n1;2,5\n":                           2,
	} {
		r, err := table.NewReader(strings.NewReader(text), "t.csv", table.Limits{})
		testsupport.NoError(t, err)
		most := len(r.Header())
		testsupport.NoError(t, r.EachRow(func() error {
			most = max(most, len(r.Row()))
			return nil
		}))
		if most != want {
			t.Errorf("%q has %d columns, not %d", text, most, want)
		}
	}
}

// TestSpacesAndComments: spaces may separate fields, and comments may stand above the header. Lines keep their numbers.
func TestSpacesAndComments(t *testing.T) {
	for _, c := range []struct{ text, header, row string }{
		{"id choice  cost\n 1   2  3.5\n", "id|choice|cost", "2: 1|2|3.5"},
		{"# from a survey\n# of 2019\nid choice cost\n1 2 NA \n", "id|choice|cost", "4: 1|2|NA"},
		{"# made on Monday, by hand\nid,x,y\n1,2,3\n", "id|x|y", "3: 1|2|3"},
		{"# of rooms,price\n3,100\n", "# of rooms|price", "2: 3|100"},
		{"#,name\n1,Ann\n", "#|name", "2: 1|Ann"},
		{"full name here\nAnn van Dyk\nBob de Wit\n", "full name here", "2: Ann van Dyk"},
	} {
		r, err := table.NewReader(strings.NewReader(c.text), "t.dat", table.Limits{})
		testsupport.NoError(t, err)
		if header := strings.Join(r.Header(), "|"); header != c.header {
			t.Errorf("header %q, want %q", header, c.header)
		}
		row := ""
		testsupport.NoError(t, r.Each(func() error {
			if row == "" {
				row = fmt.Sprintf("%d: %s", r.Line(), strings.Join(r.Row(), "|"))
			}
			return nil
		}))
		if row != c.row {
			t.Errorf("row %q, want %q", row, c.row)
		}
	}
}

// TestOtherFormats: files of other programs are named, with the way out.
func TestOtherFormats(t *testing.T) {
	for start, says := range map[string]string{
		"<stata_dta><header>": "the file is of Stata; write CSV with export delimited",
		"$FL2@(#)":            "the file is of SPSS; save it as CSV",
		"RDX3\nX\n":           "the file is of R; write CSV with write.csv",
		"ARROW1\x00\x00":      "the file is of Arrow; save it as Parquet or CSV",
		"BZh91AY":             "the file is compressed with bzip2; decompress it, or use gzip", "\x00\x01": "the file is not text",
	} {
		if got := table.NoTextFile([]byte(start)).Text; got != says {
			t.Errorf("%q: %q, want %q", start, got, says)
		}
		if _, format, err := table.Recognise(strings.NewReader(start), "x.csv"); err != nil || format != table.BinaryFile {
			t.Errorf("%q: format %v, %v", start, format, err)
		}
	}
}
