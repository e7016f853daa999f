package parquets

import (
	"bufio"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits are how large a page may be.
type Limits struct {
	Header int   // bytes in which it says what it has
	Size   int32 // bytes that it takes, unpacked; usual is 1 MB
	Values int64 // values that it has, or levels
}

// CheckPages goes through the pages of a column in one group of rows, reading only how large they
// are. It returns [ErrDamaged] where one is beyond the limits, or they do not have as many values
// as the column.
func CheckPages(file io.ReaderAt, size int64, column *format.ColumnMetaData, limits Limits) error {
	start := column.DataPageOffset
	if column.DictionaryPageOffset != 0 {
		start = column.DictionaryPageOffset
	}
	length := column.TotalCompressedSize
	if start < 0 || length < 0 || start > size || length > size-start {
		return ErrDamaged
	}
	pages := bufio.NewReaderSize(io.NewSectionReader(file, start, length), limits.Header)
	found := int64(0)
	for {
		text, _ := pages.Peek(limits.Header)
		if len(text) == 0 {
			break
		}
		page, headerLength, err := readHeader(text)
		if err != nil || !limits.allow(page) {
			return ErrDamaged
		}
		if found += valuesOf(page); found > column.NumValues {
			return ErrDamaged
		}
		if _, err := pages.Discard(headerLength + int(page.CompressedPageSize)); err != nil {
			return ErrDamaged
		}
	}
	if found != column.NumValues {
		return ErrDamaged
	}
	return nil
}

// readHeader reads what the page at the start of a text says of itself, and how long that is.
func readHeader(text []byte) (page *format.PageHeader, length int, err error) {
	if !plausible(text) {
		return nil, 0, ErrDamaged
	}
	var protocol thrift.CompactProtocol
	reader := protocol.NewReaderFromBytes(text)
	page = &format.PageHeader{}
	if err := thrift.NewDecoder(reader).Decode(page); err != nil {
		return nil, 0, err
	}
	return page, reader.BytesRead(), nil
}

// allow reports whether a page is within the limits.
func (l Limits) allow(page *format.PageHeader) bool {
	values, levels := valuesOf(page), int64(page.DictionaryPageHeader.V.NumValues)
	return values >= 0 && values <= l.Values && levels >= 0 && levels <= l.Values &&
		page.UncompressedPageSize >= 0 && page.UncompressedPageSize <= l.Size && page.CompressedPageSize >= 0
}

// valuesOf returns how many values a page has, whichever of the two forms it has.
func valuesOf(page *format.PageHeader) int64 {
	return int64(page.DataPageHeader.V.NumValues) + int64(page.DataPageHeaderV2.V.NumValues)
}
