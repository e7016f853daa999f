package table_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"bestpick/internal/table"
)

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
