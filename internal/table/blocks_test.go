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
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// inBlocks returns the header and the rows of a table, split block by block, with the line of
// each row.
func inBlocks(source io.Reader) (header []string, rows [][]string, lines []int, err error) {
	blocks, err := table.NewBlocks(source, "t.csv")
	if err != nil {
		return nil, nil, nil, err
	}
	type part struct {
		rows  [][]string
		lines []int
		err   error
	}
	err = table.InOrder(blocks, func(r *table.Rows) part {
		var p part
		for r.Next() {
			var row []string
			for range r.Len() {
				row = append(row, string(r.Text()))
			}
			p.rows = append(p.rows, row)
			p.lines = append(p.lines, r.Line())
		}
		p.err = r.Err()
		return p
	}, func(p part) error {
		rows = append(rows, p.rows...)
		lines = append(lines, p.lines...)
		return p.err
	})
	return blocks.Header(), rows, lines, err
}

// byTheLibrary returns the same from encoding/csv, without space around the fields and without
// rows that have nothing else.
func byTheLibrary(text []byte, delimiter rune) (rows [][]string, lines []int, err error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	r.Comma = delimiter
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, lines, nil
		}
		if err != nil {
			return rows, lines, err
		}
		line, _ := r.FieldPos(0)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if strings.Join(row, "") == "" {
			continue
		}
		rows = append(rows, row)
		lines = append(lines, line)
	}
}

// equalsLibrary fails where blocks and encoding/csv differ on a text below the header "a,b".
func equalsLibrary(t *testing.T, text []byte) {
	t.Helper()
	whole := append([]byte("a,b\n"), text...)
	_, rows, lines, err := inBlocks(bytes.NewReader(whole))
	wantRows, wantLines, wantErr := byTheLibrary(whole, ',')
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: %v, but encoding/csv: %v", text, err, wantErr)
	}
	if !slices.EqualFunc(rows, wantRows[1:], slices.Equal) || !slices.Equal(lines, wantLines[1:]) {
		t.Fatalf("%q:\n%q in lines %v, but encoding/csv:\n%q in lines %v", text, rows, lines, wantRows[1:], wantLines[1:])
	}
	malformed, isMalformed := errors.AsType[*csv.ParseError](wantErr)
	if !isMalformed {
		return
	}
	want := &table.Error{File: "t.csv", Line: malformed.StartLine, Problem: table.Problemf("quote-open", "a quoted field is not closed as it should be")}
	if errors.Is(malformed.Err, csv.ErrBareQuote) {
		want = &table.Error{File: "t.csv", Line: malformed.Line, Problem: table.Problemf("quote-inside", "a quote stands in the middle of a field (character %d)", malformed.Column)}
	}
	if err.Error() != want.Error() {
		t.Fatalf("%q: %q, not %q", text, err, want)
	}
}

func TestBlocksEqualLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"\"", "\"\"", ",", "\n", "\r\n", "\r", "x", "1.5", " ", ";", "\"a,\nb\"", "\"a\r\n\"\"b\"", "é"}
	for range 10_000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		equalsLibrary(t, []byte(text.String()))
	}
}

// TestManyBlocks: a table of several blocks, with quoted fields of many lines across their
// borders, is the same as encoding/csv has it; and so it is from a gzip.
func TestManyBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var text bytes.Buffer
	for text.Len() < 13<<20 {
		switch random.IntN(20) {
		case 0:
			fmt.Fprintf(&text, "\"%s\",x\r\n", strings.Repeat("a \"\"quoted\"\"\nline, ", random.IntN(20_000)))
		case 1:
			fmt.Fprintf(&text, "\n%d\n", random.IntN(1000))
		default:
			fmt.Fprintf(&text, "%d,%q\n", random.IntN(1000), strings.Repeat("y", random.IntN(1000)))
		}
	}
	equalsLibrary(t, text.Bytes())
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(append([]byte("\ufeffa;b\n"), bytes.ReplaceAll(text.Bytes(), []byte{','}, []byte{';'})...))
	_ = w.Close()
	header, rows, _, err := inBlocks(&packed)
	if err != nil || !slices.Equal(header, []string{"a", "b"}) {
		t.Fatal(header, err)
	}
	want, _, _ := byTheLibrary(bytes.ReplaceAll(text.Bytes(), []byte{','}, []byte{';'}), ';')
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Error("a gzip with semicolons has other rows")
	}
	_, rows, _, err = inBlocks(iotest.OneByteReader(strings.NewReader("a,b\n\"1\n2\",3\r\n4")))
	if err != nil || fmt.Sprint(rows) != "[[1\n2 3] [4]]" {
		t.Errorf("in small portions: %q %v", rows, err)
	}
}

// TestQuoteNeverClosed: the memory for a row is bounded.
func TestQuoteNeverClosed(t *testing.T) {
	text := io.MultiReader(strings.NewReader("a,b\n1,2\n\"3,4\n"), io.LimitReader(zeros{}, 1<<30))
	_, rows, _, err := inBlocks(text)
	if rows != nil || err == nil || err.Error() != "t.csv:3: a quoted field is not closed as it should be" {
		t.Error(err)
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

func TestBlocksPassOnFailures(t *testing.T) {
	broken := errors.New("the wire was cut")
	for _, after := range []string{"", "a,b\n", "a,b\n1,2\n", "a,b\n" + strings.Repeat("1,2\n", 2<<20), "a,b\n\""} {
		_, _, _, err := inBlocks(io.MultiReader(strings.NewReader(after), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || err.Error() != "t.csv: the wire was cut" {
			t.Errorf("after %d bytes: %v", len(after), err)
		}
	}
	for text, want := range map[string]string{
		"":            "t.csv: the file is empty",
		"\n\n":        "t.csv: the file is empty",
		",,\n \n,":    "t.csv: the file is empty",
		"a,b\r1,2\r":  "t.csv: the lines end in carriage returns alone; save it with line feeds",
		"a,\"b\n1,2":  "t.csv:1: a quoted field is not closed as it should be",
		"a,b\n1,x\"y": "t.csv:2: a quote stands in the middle of a field (character 4)",
	} {
		if _, _, _, err := inBlocks(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestInOrderStops: what taking fails with ends it all, and nothing goes on.
func TestInOrderStops(t *testing.T) {
	blocks, err := table.NewBlocks(strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 10<<20)), "t.csv")
	testsupport.NoError(t, err)
	enough := errors.New("enough")
	taken := 0
	err = table.InOrder(blocks, func(*table.Rows) int { return 1 }, func(n int) error {
		if taken += n; taken == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || taken != 2 {
		t.Error(taken, err)
	}
}

// TestRowsNumbers: numbers are those that the fields say, whatever is around them.
func TestRowsNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"1", "-2.5", "0.1234567", "1e5", "3e-400", "x", "", " 4 ", "+6", "1.5.2", "-", "12345678901234567890", "\"7\"", "\"8,\"\"\""}
	for range 5_000 {
		var fields []string
		for range 1 + random.IntN(6) {
			fields = append(fields, pieces[random.IntN(len(pieces))])
		}
		text := "a,b\n" + strings.Join(fields, ",") + []string{"", "\n", "\r\n", "\n1"}[random.IntN(4)]
		blocks, err := table.NewBlocks(strings.NewReader(text), "t.csv")
		testsupport.NoError(t, err)
		rows := blocks.First()
		if strings.Join(fields, "") == "" {
			continue // a blank row
		}
		if !rows.Next() || rows.Len() != len(fields) {
			t.Fatalf("%q has %d fields", text, rows.Len())
		}
		for _, field := range fields {
			said := strings.TrimSpace(strings.Trim(field, "\""))
			if field == pieces[len(pieces)-1] {
				said = "8,\""
			}
			want, wantOK := table.ParseNumber(said)
			x, decimals, got, ok := rows.Number()
			if ok != wantOK || ok && x != want || !ok && string(got) != said {
				t.Fatalf("%q: %q is %v, %q, %v", text, field, x, got, ok)
			}
			if string(got) != said || decimals >= 0 && strconv.FormatFloat(x, 'f', decimals, 64) != said {
				t.Fatalf("%q: %q is %q with %d decimals", text, field, got, decimals)
			}
		}
	}
}

// FuzzBlocks: any UTF-8 text is split as encoding/csv splits it, or both refuse. Text in other encodings
// is converted, which encoding/csv does not do.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{"1,2\n", "\"1\",\"2\n3\"\r\n", "\r", "\"\"\"\"\r", "\"a\r\n\"", "a\"b", "\"a\"b\n", ",\n,\r\n\n", "\"a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { equalsLibrary(t, bytes.ToValidUTF8(text, []byte("?"))) })
}
