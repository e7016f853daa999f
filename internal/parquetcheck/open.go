// Package parquetcheck checks untrusted Parquet files before they are read. The library allocates
// the sizes that a file declares; this package first rejects files that declare more than they can
// contain.
package parquetcheck

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Magic is at the start and at the end of a Parquet file.
const Magic = "PAR1"

// Errors about a Parquet file as a whole.
var (
	ErrDamaged   = errors.New("the Parquet file is damaged")
	ErrEndsEarly = errors.New("the Parquet file ends too early")
)

// Open reads the footer of a file if it is within the limits. It returns [ErrDamaged],
// [ErrEndsEarly], a [LimitError] or the error of reading the end of the file. The library panics on
// some damaged files; Open returns [ErrDamaged] for them. The library may also panic later, when
// values are read.
func Open(file io.ReaderAt, size int64, limits Limits) (opened *parquet.File, err error) {
	defer func() {
		if recover() != nil {
			opened, err = nil, ErrDamaged
		}
	}()
	if err := checkFooter(file, size, limits); err != nil {
		return nil, err
	}
	opened, err = parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, ErrDamaged
	}
	return opened, nil
}

// checkFooter returns an error unless a file ends in a footer within the limits.
func checkFooter(file io.ReaderAt, size int64, limits Limits) error {
	const ends = 8 // the length of the footer, and the magic
	end := make([]byte, ends)
	if size < int64(len(Magic)+ends) {
		return ErrEndsEarly
	}
	if _, err := file.ReadAt(end, size-ends); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != Magic || length > size-int64(len(Magic)+ends) {
		return ErrEndsEarly
	}
	if limits.Footer > 0 && length > limits.Footer {
		return tooLarge("the footer of the Parquet file is larger than %s", limits.Footer)
	}
	footer := make([]byte, length)
	if _, err := file.ReadAt(footer, size-ends-length); err != nil {
		return err
	}
	if !plausible(footer, Limits{}) {
		return ErrDamaged
	}
	if !plausible(footer, limits) {
		return &LimitError{"the Parquet file has too many columns and row groups; write it with fewer"}
	}
	return nil
}
