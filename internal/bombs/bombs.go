// Package bombs makes small files that are large inside, and measures the memory that rejecting them
// takes. It is for tests.
package bombs

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
)

// Gzip returns text and then at least size bytes of a text that is repeated, compressed.
func Gzip(text, repeated string, size int) string {
	const block = 4 << 20
	times := block/len(repeated) + 1
	return pack(text) + strings.Repeat(pack(strings.Repeat(repeated, times)), size/(times*len(repeated))+1)
}

func pack(text string) string {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		panic("bombs: " + err.Error())
	}
	_, _ = io.WriteString(w, text) // into memory
	_ = w.Close()
	return packed.String()
}

// Long is a file that starts with a text and goes on with one byte. It takes no memory.
type Long struct {
	Start string
	Fill  byte
	Size  int64
}

// ReadAt reads any part.
func (l Long) ReadAt(p []byte, at int64) (int, error) {
	if at >= l.Size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), l.Size-at))
	copied := 0
	if at < int64(len(l.Start)) {
		copied = copy(p[:n], l.Start[at:])
	}
	for i := copied; i < n; i++ {
		p[i] = l.Fill
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
