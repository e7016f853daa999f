package table_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// TestTextLimits: one line says which limit a file exceeds, both before it is read and while it is.
func TestTextLimits(t *testing.T) {
	limits := table.Limits{Rows: 3, Columns: 4, RowBytes: 1 << 10, Values: 12, Bytes: 4 << 10}
	long := strings.Repeat("x", 1<<10)
	for _, c := range []struct{ what, text, want string }{
		{"within", "a,b\n1,2\n\n3,4\n,\n5,6\n \n", ""},
		{"no line feed at the end", "a,b\n1,2\n3,4\n5,6", ""},
		{"a long row", "a,b\n" + long[:1<<10-2] + ",\n", ""},
		{"delimiters in quotes", "a,b\n\"1,,,,,,\",2\n", ""},
		{"line feeds in quotes", "a,b\n\"1\n\n\n\n\n\n\",2\n", ""},
		{"many blank rows", "a,b\n1,2\n" + strings.Repeat("\n , \r\n", 100), ""},
		{"rows", "a,b\n1,2\n\n3,4\n5,6\n7,8\n", "t.csv:6: the file has more than 3 rows"},
		{"rows, compressed", packed(t, "a,b\n1,2\n\n3,4\n5,6\n7,8\n"), "t.csv:6: the file has more than 3 rows"},
		{"rows behind a separator", "sep=;\na;b\n1;2\n3;4\n5;6\n7;8\n", "t.csv:6: the file has more than 3 rows"},
		{"quoted rows", "a,b\n" + strings.Repeat("\"\"\"\",\"\n\"\n", 4), "t.csv:8: the file has more than 3 rows"},
		{"columns", "a,b,c,d,e\n", "t.csv:1: the file has more than 4 columns"},
		{"fields", "a,b\n1,2\n,,,,\n", "t.csv:3: the file has more than 4 columns"},
		{"values", "a,b,c,d\n1,2,3,4\n1,2,3,4\n1,2,3,4\n", "t.csv:4: the file has more than 12 values in all"},
		{"a longer row", "a,b\n1,2\n" + long + ",\n", "t.csv:3: the row is longer than 1 KB"},
		{"a longer header", long + "x", "t.csv:1: the row is longer than 1 KB"},
		{"an open quote", "a,b\n1,2\n\"" + strings.Repeat("x\n", 1<<10), "t.csv:3: a quoted field is not closed as it should be"},
		{"bytes", "a,b\n1,2\n" + strings.Repeat("\n", 4<<10), "t.csv: the contents of the file are larger than 4 KB"},
	} {
		if err := table.CheckText(strings.NewReader(c.text), "t.csv", limits); says(err) != c.want {
			t.Errorf("%s: %v", c.what, err)
		}
		if err := readWithin(strings.NewReader(c.text), limits); says(err) != c.want {
			t.Errorf("%s: reading: %v", c.what, err)
		}
		if err := readWithin(strings.NewReader(c.text), table.Limits{}); err != nil && c.what != "an open quote" &&
			!strings.Contains(err.Error(), "fields") && !strings.Contains(err.Error(), "no rows") {
			t.Errorf("%s: without limits: %v", c.what, err)
		}
	}
}

func says(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func readWithin(source io.Reader, limits table.Limits) error {
	r, err := table.NewReader(source, "t.csv", limits)
	if err != nil {
		return err
	}
	return r.Each(func() error { return nil })
}

// TestCheckTextLeavesOtherProblems: what else is wrong is found by the reader, which says more.
func TestCheckTextLeavesOtherProblems(t *testing.T) {
	for _, text := range []string{"", "\xff\xfea", "a\rb\r", "a,b\n1,x\"y\n", "a,b\n1\n", "\x1f\x8b", packed(t, "a,b\n1,2\n")[:20]} {
		if err := table.CheckText(strings.NewReader(text), "t.csv", table.Limits{Rows: 3, Columns: 4}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLimitedReadingTakesLittle: a row of 200 MB is rejected without being held.
func TestLimitedReadingTakesLittle(t *testing.T) {
	limits := table.Limits{RowBytes: 1 << 20, Columns: 1000}
	for name, start := range map[string]string{"a row": "a,b\n1,2\n", "a quote": "a,b\n1,2\n\"", "a header": "a,b"} {
		for what, read := range map[string]func(io.Reader) error{
			"check": func(r io.Reader) error { return table.CheckText(r, "t.csv", limits) },
			"read":  func(r io.Reader) error { return readWithin(r, limits) },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read(io.MultiReader(strings.NewReader(start), io.LimitReader(zeros{}, 200<<20)))
			runtime.ReadMemStats(&after)
			want := fmt.Sprintf("t.csv:%d: the row is longer than 1 MB", 1+strings.Count(start, "\n"))
			if says(err) != want {
				t.Errorf("%s, %s: %v", what, name, err)
			}
			if taken, most := after.TotalAlloc-before.TotalAlloc, uint64(8<<20); taken > most {
				t.Errorf("%s, %s: %d bytes", what, name, taken)
			}
		}
	}
}

// TestEncodings: the same text in every encoding is read as UTF-8, whatever comes first and however the
// source cuts it.
func TestEncodings(t *testing.T) {
	long := strings.Repeat("plain, plain\n", 20_000) // beyond every buffer
	for _, text := range []string{
		"name\nÄpfel für 5 €\n", "größe,preis\n", long + "Müsli\n",
		long + "Grüße, Öl, Straße, naïve\n" + long,
	} {
		for name, e := range map[string]encoding.Encoding{
			"":             encoding.Nop,
			"Windows-1252": charmap.Windows1252,
			"UTF-16":       unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
			"UTF-16 BE":    unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
			"UTF-16 plain": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
			"UTF-16 BE p.": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		} {
			written, err := e.NewEncoder().String(text)
			testsupport.NoError(t, err)
			want, _, _ := strings.Cut(name, " ")
			for how, source := range map[string]io.Reader{
				"at once": strings.NewReader(written), "in halves": iotest.HalfReader(strings.NewReader(written)),
				"by byte": iotest.OneByteReader(strings.NewReader(written)),
			} {
				decoded, err := table.OpenText(source, "a.csv")
				testsupport.NoError(t, err)
				got, err := io.ReadAll(decoded)
				if err != nil || string(got) != text || decoded.Encoding() != want {
					t.Errorf("%q %s: %.60q… (%d bytes), %q, %v", name, how, got, len(got), decoded.Encoding(), err)
				}
			}
		}
	}
}

// TestMarkIsLeftOut: a byte-order mark of UTF-8 is not part of the text.
func TestMarkIsLeftOut(t *testing.T) {
	decoded, err := table.OpenText(strings.NewReader("\ufeffä"), "a.csv")
	testsupport.NoError(t, err)
	if got, err := io.ReadAll(decoded); err != nil || string(got) != "ä" || decoded.Encoding() != "" {
		t.Errorf("%q, %q, %v", got, decoded.Encoding(), err)
	}
}

// TestDamagedUTF8: a few wrong bytes do not make another encoding of UTF-8.
func TestDamagedUTF8(t *testing.T) {
	const text = "ä ö ü \xe9 ß"
	decoded, err := table.OpenText(strings.NewReader(text), "a.csv")
	testsupport.NoError(t, err)
	if got, err := io.ReadAll(decoded); err != nil || string(got) != text || decoded.Encoding() != "" {
		t.Errorf("%q, %q, %v", got, decoded.Encoding(), err)
	}
}

// TestReadingFails: the failure of a source is passed on in every encoding.
func TestReadingFails(t *testing.T) {
	for _, start := range []string{"", "a", "a,b\n", "ä", "\xe4,b", "\xff\xfea\x00"} {
		decoded, err := table.OpenText(io.MultiReader(strings.NewReader(start), iotest.ErrReader(io.ErrClosedPipe)), "a.csv")
		if err == nil {
			_, err = io.ReadAll(decoded)
		}
		if err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
			t.Errorf("%q: %v", start, err)
		}
	}
}
