// Package bombs makes small files that are large inside, and measures the memory that rejecting them
// takes. It is for tests.
package bombs

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
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

// Parquet returns a file of rows, compressed, whose footer lists them this many times: all groups of
// rows have the same pages.
func Parquet[T any](rows []T, times int) string {
	options := []parquet.WriterOption{parquet.Compression(&parquet.Zstd)}
	for _, path := range parquet.SchemaOf(new(T)).Columns() { // have long values otherwise
		options = append(options, parquet.SkipPageBounds(path...), parquet.SkipPageStatistics(path...))
	}
	var file bytes.Buffer
	if err := parquet.Write(&file, rows, options...); err != nil {
		panic("bombs: " + err.Error())
	}
	opened, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()), parquet.SkipPageIndex(true))
	if err != nil {
		panic("bombs: " + err.Error())
	}
	footer := opened.Metadata()
	first := footer.RowGroups[0]
	for i := range first.Columns {
		first.Columns[i].MetaData.Statistics = format.Statistics{} // which has values in it
	}
	footer.RowGroups = nil
	for range times {
		footer.RowGroups = append(footer.RowGroups, first)
	}
	footer.NumRows *= int64(times)
	text, err := thrift.Marshal(&thrift.CompactProtocol{}, *footer)
	if err != nil {
		panic("bombs: " + err.Error())
	}
	end := file.Len() - 8
	end -= int(binary.LittleEndian.Uint32(file.Bytes()[end:]))
	return file.String()[:end] + string(binary.LittleEndian.AppendUint32(text, uint32(len(text)))) + "PAR1"
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
