package answers

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library makes room for whatever a Parquet file says of itself. These checks find files
// that say more than they can have, before it does.

// What is wrong with a Parquet file as a whole.
var (
	errDamaged   = errors.New("the Parquet file is damaged")
	errEndsEarly = errors.New("the Parquet file ends too early")
)

const (
	// largestPage is how much a page may take, unpacked; usual is 1 MB.
	largestPage = 16 << 20

	// mostValues are those that a page may have: of very few levels, many fit in 1 MB.
	mostValues = 8 << 20
)

// checkDescription refuses a file that cannot have the description that must be at its end.
func checkDescription(file io.ReaderAt, size int64) error {
	const ends = 8 // the length of the description and the magic once more
	end := make([]byte, ends)
	if size < int64(len(parquetMagic)+ends) {
		return errEndsEarly
	}
	if _, err := file.ReadAt(end, size-ends); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != parquetMagic || length > size-int64(len(parquetMagic)+ends) {
		return errEndsEarly
	}
	description := make([]byte, length)
	if _, err := file.ReadAt(description, size-ends-length); err != nil {
		return err
	}
	if !plausible(description) {
		return errDamaged
	}
	return nil
}

// checkPages goes through the pages of a column, reading only how large they are.
func checkPages(file io.ReaderAt, size int64, opened *parquet.File, column int) error {
	for _, group := range opened.Metadata().RowGroups {
		chunk := &group.Columns[column].MetaData
		start := chunk.DataPageOffset
		if chunk.DictionaryPageOffset != 0 {
			start = chunk.DictionaryPageOffset
		}
		length := chunk.TotalCompressedSize
		if start < 0 || length < 0 || start > size || length > size-start {
			return errDamaged
		}
		if err := checkChunk(io.NewSectionReader(file, start, length), chunk.NumValues); err != nil {
			return err
		}
	}
	return nil
}

// checkChunk goes through pages that must have so many values together.
func checkChunk(chunk *io.SectionReader, values int64) error {
	const longestHeader = 1 << 16
	var protocol thrift.CompactProtocol
	pages := bufio.NewReaderSize(chunk, longestHeader)
	found := int64(0)
	for {
		start, _ := pages.Peek(longestHeader)
		if len(start) == 0 {
			break
		}
		if !plausible(start) {
			return errDamaged
		}
		var header format.PageHeader
		reader := protocol.NewReaderFromBytes(start)
		if err := thrift.NewDecoder(reader).Decode(&header); err != nil {
			return err
		}
		n := int64(header.DataPageHeader.V.NumValues) + int64(header.DataPageHeaderV2.V.NumValues) // one is 0
		levels := header.DictionaryPageHeader.V.NumValues
		found += n
		if n < 0 || n > mostValues || levels < 0 || levels > mostValues {
			return errDamaged
		}
		if header.UncompressedPageSize < 0 || header.UncompressedPageSize > largestPage || header.CompressedPageSize < 0 {
			return errDamaged
		}
		if _, err := pages.Discard(reader.BytesRead() + int(header.CompressedPageSize)); err != nil {
			return err
		}
	}
	if found != values {
		return errDamaged
	}
	return nil
}
