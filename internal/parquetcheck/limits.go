package parquetcheck

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"bestpick/internal/table"
)

// Limits bounds the memory that a file may make the library allocate. Footer, Structs and Bytes set
// no limit if they are 0.
type Limits struct {
	Footer  int64 // bytes of the footer
	Structs int   // structs listed in the footer: columns, and columns of each row group
	Header  int   // bytes of the header of a page
	Size    int32 // bytes of a page, decompressed; typically 1 MB
	Values  int64 // values of a page, or entries of a dictionary
	Bytes   int64 // bytes of all pages, decompressed
}

// Limits of the footer for untrusted files: 10,000 columns in one row group, or 50 columns in 200
// row groups, are well within them, and decoding takes less than 50 MB.
const (
	FooterBytes   = 8 << 20
	FooterStructs = 1 << 16
)

// A LimitError says which limit a file exceeds.
type LimitError struct{ Problem string }

func (e *LimitError) Error() string { return e.Problem }

// tooLarge returns a [LimitError] about a number of bytes.
func tooLarge(text string, bytes int64) error {
	return &LimitError{fmt.Sprintf(text, table.Size(bytes))}
}

// check returns an error unless a page declares sizes within the limits.
func (l Limits) check(page *format.PageHeader) error {
	values := max(valuesOf(page), int64(page.DictionaryPageHeader.V.NumValues))
	switch {
	case valuesOf(page) < 0 || page.UncompressedPageSize < 0 || page.CompressedPageSize < 0:
		return ErrDamaged
	case max(page.UncompressedPageSize, page.CompressedPageSize) > l.Size:
		return tooLarge("a page of the Parquet file is larger than %s; write it with smaller pages or row groups", int64(l.Size))
	case values > l.Values:
		return &LimitError{fmt.Sprintf("a page of the Parquet file has more than %s values", table.Grouped(int(l.Values)))}
	}
	return nil
}
