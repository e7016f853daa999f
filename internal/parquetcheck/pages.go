package parquetcheck

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Checker checks the pages of a file before the library reads them. The library trusts the sizes
// that pages declare and the lengths of runs inside them: a page of a few bytes can make it
// allocate gigabytes. A Checker holds one page at a time.
type Checker struct {
	file   io.ReaderAt
	size   int64
	limits Limits
	bytes  int64 // of all pages so far, decompressed

	packed, body []byte        // of the current page
	zstd         *zstd.Decoder // nil until it is needed
}

// NewChecker returns a checker for the pages of a file.
func NewChecker(file io.ReaderAt, size int64, limits Limits) *Checker {
	return &Checker{file: file, size: size, limits: limits}
}

// A Column is a column of one row group, with the nesting of its values.
type Column struct {
	*format.ColumnMetaData

	Kind                   parquet.Kind // of the values that the library reads
	Repetition, Definition int          // the highest levels
}

// ColumnOf returns a column of a row group.
func ColumnOf(group *format.RowGroup, leaf *parquet.Column) Column {
	return Column{&group.Columns[leaf.Index()].MetaData, leaf.Type().Kind(), leaf.MaxRepetitionLevel(), leaf.MaxDefinitionLevel()}
}

// Check checks all pages of a column. It returns a [LimitError] if one exceeds the limits, and
// [ErrDamaged] if a page does not contain what it declares, or if the number of values differs from
// that of the column.
func (c *Checker) Check(column Column) error {
	start := column.DataPageOffset
	if column.DictionaryPageOffset != 0 {
		start = column.DictionaryPageOffset
	}
	length := column.TotalCompressedSize
	if start < 0 || length < 0 || start > c.size || length > c.size-start {
		return ErrDamaged
	}
	pages := bufio.NewReaderSize(io.NewSectionReader(c.file, start, length), c.limits.Header)
	found := int64(0)
	for {
		text, _ := pages.Peek(c.limits.Header)
		if len(text) == 0 {
			break
		}
		header, headerLength, err := readHeader(text)
		if err != nil {
			return err
		}
		if entries := header.DictionaryPageHeader.V.NumValues; entries < 0 || int64(entries) > column.NumValues {
			return ErrDamaged
		}
		_, _ = pages.Discard(headerLength) // they were peeked at
		if err := c.checkPage(header, pages, column); err != nil {
			return err
		}
		if found += valuesOf(header); found > column.NumValues {
			return ErrDamaged
		}
	}
	if found != column.NumValues {
		return ErrDamaged
	}
	return nil
}

// checkPage reads a page and checks it.
func (c *Checker) checkPage(header *format.PageHeader, pages io.Reader, column Column) error {
	if err := c.limits.check(header); err != nil {
		return err
	}
	c.bytes += int64(header.UncompressedPageSize)
	if c.limits.Bytes > 0 && c.bytes > c.limits.Bytes {
		return tooLarge("the contents of the file are larger than %s", c.limits.Bytes)
	}
	c.packed = resized(c.packed, int(header.CompressedPageSize))
	if _, err := io.ReadFull(pages, c.packed); err != nil {
		return ErrDamaged
	}
	return c.checkBody(header, column)
}

// resized returns a slice of the given length, which may reuse the memory of the last page.
func resized(room []byte, length int) []byte {
	if cap(room) < length {
		return make([]byte, length)
	}
	return room[:length]
}

// readHeader decodes the page header at the start of a text, and returns its length.
func readHeader(text []byte) (page *format.PageHeader, length int, err error) {
	if !plausible(text, Limits{}) {
		return nil, 0, ErrDamaged
	}
	var protocol thrift.CompactProtocol
	reader := protocol.NewReaderFromBytes(text)
	page = &format.PageHeader{}
	if err := thrift.NewDecoder(reader).Decode(page); err != nil {
		return nil, 0, ErrDamaged
	}
	return page, reader.BytesRead(), nil
}

// valuesOf returns the number of values that the library reads from a page.
func valuesOf(page *format.PageHeader) int64 {
	switch page.Type { //nolint:exhaustive // all others have none
	case format.DataPage:
		return int64(page.DataPageHeader.V.NumValues)
	case format.DataPageV2:
		return int64(page.DataPageHeaderV2.V.NumValues)
	default:
		return 0
	}
}
