package catalogue

import (
	"bufio"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// largestPage is how much a page of a Parquet file may take, unpacked; usual is 1 MB.
	largestPage = 1 << 28

	// mostRows are those of a table that fit in memory.
	mostRows = 1 << 30
)

// checkPages goes through the pages of all columns, reading only how large they are. The
// library makes room for whatever a page says; a page that says more than the file can have
// is found here first. Columns that are left out are not looked at.
func checkPages(source io.ReaderAt, size int64, file *parquet.File, options Options) error {
	for _, group := range file.Metadata().RowGroups {
		if group.NumRows < 0 || group.NumRows > mostRows {
			return errDamaged()
		}
		for i := range group.Columns {
			chunk := &group.Columns[i].MetaData
			if len(chunk.PathInSchema) > 0 && isLeftOut(chunk.PathInSchema[0], options) {
				continue
			}
			start := chunk.DataPageOffset
			if chunk.DictionaryPageOffset != 0 {
				start = chunk.DictionaryPageOffset
			}
			length := chunk.TotalCompressedSize
			if start < 0 || length < 0 || start > size || length > size-start || chunk.NumValues != group.NumRows {
				return errDamaged()
			}
			if err := checkChunk(io.NewSectionReader(source, start, length), group.NumRows); err != nil {
				return err
			}
		}
	}
	return nil
}

func errDamaged() error { return errors.New("damaged") }

// checkChunk goes through the pages of a column that must have so many values.
func checkChunk(chunk *io.SectionReader, values int64) error {
	const longestHeader = 1 << 20
	var protocol thrift.CompactProtocol
	pages := bufio.NewReaderSize(chunk, longestHeader)
	found := int64(0)
	for {
		start, _ := pages.Peek(longestHeader)
		if len(start) == 0 {
			break
		}
		if !plausible(start) {
			return errDamaged()
		}
		var header format.PageHeader
		reader := protocol.NewReaderFromBytes(start)
		if err := thrift.NewDecoder(reader).Decode(&header); err != nil {
			return err
		}
		n := int64(header.DataPageHeader.V.NumValues) + int64(header.DataPageHeaderV2.V.NumValues) // one is 0
		levels := int64(header.DictionaryPageHeader.V.NumValues)
		found += n
		if n < 0 || found > values || levels < 0 || levels > values || header.UncompressedPageSize > largestPage || header.CompressedPageSize < 0 {
			return errDamaged()
		}
		if _, err := pages.Discard(reader.BytesRead() + int(header.CompressedPageSize)); err != nil {
			return err
		}
	}
	if found != values {
		return errDamaged()
	}
	return nil
}
