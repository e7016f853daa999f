package table_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// TestEncodings: the same text in every encoding is read as UTF-8, whatever comes first and however the
// source cuts it.
func TestEncodings(t *testing.T) {
	long := strings.Repeat("plain, plain\n", 20_000) // beyond every buffer
	for _, text := range []string{"name\nÄpfel für 5 €\n", "größe,preis\n", long + "Müsli\n", long + "Grüße, Öl, Straße, naïve\n" + long} {
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
				"at once": strings.NewReader(written), "in halves": iotest.HalfReader(strings.NewReader(written)), "by byte": iotest.OneByteReader(strings.NewReader(written)),
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
