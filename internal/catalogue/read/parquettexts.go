package read

import (
	"cmp"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/table"
)

// A textCounter reads the texts of a Parquet file and counts their bytes. An entry of a dictionary
// counts as often as there are rows with it: a file of a megabyte can have a thousand gigabytes of
// text.
type textCounter struct {
	limits  table.Limits
	bytes   int64 // of all texts
	longest int   // text, in bytes

	dictionary parquet.Dictionary // of the page that is read, nil where it has none
	known      map[*byte]string   // entries of the dictionary, by where they are in memory
}

// start starts another page.
func (t *textCounter) start(page parquet.Page) {
	if dictionary := page.Dictionary(); dictionary != t.dictionary {
		t.dictionary, t.known = dictionary, map[*byte]string{}
	}
}

// text returns a text. Where there are limits, rows with the same entry of a dictionary share it, so
// that little memory is taken before the limit is reached.
func (t *textCounter) text(v parquet.Value) string {
	bytes := v.ByteArray()
	t.bytes += int64(len(bytes))
	t.longest = max(t.longest, len(bytes))
	if t.dictionary == nil || t.limits.Bytes == 0 || len(bytes) == 0 {
		return string(bytes)
	}
	at := unsafe.SliceData(bytes) //nolint:gosec // it is compared, never read
	text, there := t.known[at]
	if !there || len(text) != len(bytes) {
		text = string(bytes)
		t.known[at] = text
	}
	return text
}

// problem returns which limit the texts exceed, or "".
func (t *textCounter) problem() string {
	return cmp.Or(t.limits.RowProblem(t.longest), t.limits.BytesProblem(t.bytes))
}
