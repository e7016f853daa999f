// Package parquetcheck checks Parquet files from strangers before they are read. The library makes
// room for whatever a file says of itself; files that say more than they can have are found here
// first.
package parquetcheck

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Magic is how a Parquet file starts, and how it ends.
const Magic = "PAR1"

// What is wrong with a Parquet file as a whole.
var (
	ErrDamaged   = errors.New("the Parquet file is damaged")
	ErrEndsEarly = errors.New("the Parquet file ends too early")
)

// Open reads the footer of a file, if it is within the limits. It returns [ErrDamaged],
// [ErrEndsEarly], a [LimitError] or what reading the end of the file failed with. The library panics
// at some files that are damaged; here, that is an error like any other. It may do so later, too,
// when values are read.
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
	const ends = 8 // the length of the footer and the magic once more
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
