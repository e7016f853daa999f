// Package parquets checks Parquet files from strangers before they are read. The library makes
// room for whatever a file says of itself; files that say more than they can have are found here
// first.
package parquets

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

// Open reads what a file says of itself. It returns [ErrDamaged], [ErrEndsEarly] or what reading
// the end of the file failed with. The library panics at some files that are damaged; here, that
// is an error like any other. It may do so later, too, when values are read.
func Open(file io.ReaderAt, size int64) (opened *parquet.File, err error) {
	defer func() {
		if recover() != nil {
			opened, err = nil, ErrDamaged
		}
	}()
	if err := checkDescription(file, size); err != nil {
		return nil, err
	}
	opened, err = parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, ErrDamaged
	}
	return opened, nil
}

// checkDescription refuses a file that cannot have the description that must be at its end.
func checkDescription(file io.ReaderAt, size int64) error {
	const ends = 8 // the length of the description and the magic once more
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
	description := make([]byte, length)
	if _, err := file.ReadAt(description, size-ends-length); err != nil {
		return err
	}
	if !plausible(description) {
		return ErrDamaged
	}
	return nil
}
