package parquetcheck_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"bestpick/internal/parquetcheck"
)

// limits returns the limits of the tests.
func limits() parquetcheck.Limits {
	return parquetcheck.Limits{Header: 1 << 10, Size: 100, Values: 10, Bytes: 250}
}

// A chunk is a column with its pages: a dictionary, and data pages of both versions.
type chunk struct {
	column                format.ColumnMetaData
	levels, first, second format.PageHeader
}

// pageSize is the size of each page of a chunk, without its header.
const pageSize = 5

func newChunk() *chunk {
	c := &chunk{}
	c.column.NumValues = 17
	c.levels.Type = format.DictionaryPage
	c.levels.DictionaryPageHeader.V.NumValues, c.levels.DictionaryPageHeader.Valid = 10, true
	c.first.DataPageHeader.V.NumValues, c.first.DataPageHeader.Valid = 10, true
	c.second.Type = format.DataPageV2
	c.second.DataPageHeaderV2.V.NumValues, c.second.DataPageHeaderV2.Valid = 7, true
	for _, page := range []*format.PageHeader{&c.levels, &c.first, &c.second} {
		page.UncompressedPageSize, page.CompressedPageSize = limits().Size, pageSize
	}
	c.first.UncompressedPageSize = 50
	return c
}

// check writes the chunk and checks it after move has changed its metadata.
func (c *chunk) check(t *testing.T, move func(*format.ColumnMetaData)) error {
	t.Helper()
	file := []byte(parquetcheck.Magic)
	for _, page := range []format.PageHeader{c.levels, c.first, c.second} {
		var protocol thrift.CompactProtocol
		header, err := thrift.Marshal(&protocol, page)
		if err != nil {
			t.Fatal(err)
		}
		file = append(append(file, header...), make([]byte, pageSize)...)
	}
	start := int64(len(parquetcheck.Magic))
	c.column.DictionaryPageOffset = start
	c.column.DataPageOffset = start + 1 // ignored if there is a dictionary
	c.column.TotalCompressedSize = int64(len(file)) - start
	move(&c.column)
	return parquetcheck.NewChecker(bytes.NewReader(file), int64(len(file)), limits()).Check(parquetcheck.Column{ColumnMetaData: &c.column, Kind: parquet.ByteArray})
}

func TestCheckPages(t *testing.T) {
	stay := func(*format.ColumnMetaData) {}
	if err := newChunk().check(t, stay); err != nil {
		t.Fatal(err)
	}
	if err := newChunk().check(t, func(c *format.ColumnMetaData) { c.DictionaryPageOffset, c.DataPageOffset = 0, c.DictionaryPageOffset }); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*chunk){
		"a page below 0":         func(c *chunk) { c.second.UncompressedPageSize = -1 },
		"a page that ends later": func(c *chunk) { c.second.CompressedPageSize++ },
		"a page that goes back":  func(c *chunk) { c.second.CompressedPageSize = -1 },
		"levels below 0":         func(c *chunk) { c.levels.DictionaryPageHeader.V.NumValues = -1 },
		"values below 0":         func(c *chunk) { c.first.DataPageHeader.V.NumValues = -1; c.column.NumValues = 6 },
		"too few values":         func(c *chunk) { c.column.NumValues++ },
		"too many values":        func(c *chunk) { c.column.NumValues-- },
		"values of another form": func(c *chunk) { c.first.DataPageHeader.V.NumValues, c.first.DataPageHeaderV2.V.NumValues = 5, 5 },
		"another type of page":   func(c *chunk) { c.first.Type = format.IndexPage },
		"another encoding":       func(c *chunk) { c.first.DataPageHeader.V.Encoding = format.RLE },
		"an unknown encoding":    func(c *chunk) { c.first.DataPageHeader.V.Encoding = 77 },
		"an encoded dictionary":  func(c *chunk) { c.levels.DictionaryPageHeader.V.Encoding = format.DeltaByteArray },
		"an unknown codec":       func(c *chunk) { c.column.Codec = format.LZO },
		"long levels":            func(c *chunk) { c.second.DataPageHeaderV2.V.DefinitionLevelsByteLength = pageSize + 1 },
		"many nulls":             func(c *chunk) { c.second.DataPageHeaderV2.V.NumNulls = 8 },
	} {
		c := newChunk()
		change(c)
		if err := c.check(t, stay); !errors.Is(err, parquetcheck.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, change := range map[string]func(*chunk){
		"a page of the Parquet file is larger than 100 bytes; write it with smaller pages or row groups": func(c *chunk) { c.second.UncompressedPageSize++ },
		"a page of the Parquet file has more than 10 values":                                             func(c *chunk) { c.first.DataPageHeader.V.NumValues++ },
		"a page of the Parquet file has more than 10 values ":                                            func(c *chunk) { c.levels.DictionaryPageHeader.V.NumValues++ },
		"a page of the Parquet file has more than 10 values  ":                                           func(c *chunk) { c.second.DataPageHeaderV2.V.NumValues += 4 },
		"the contents of the file are larger than 250 bytes":                                             func(c *chunk) { c.first.UncompressedPageSize = 51 },
	} {
		c := newChunk()
		change(c)
		if err := c.check(t, stay); err == nil || err.Error() != strings.TrimSpace(want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for name, move := range map[string]func(*format.ColumnMetaData){
		"before the file":   func(c *format.ColumnMetaData) { c.DictionaryPageOffset = -1 },
		"behind the file":   func(c *format.ColumnMetaData) { c.DictionaryPageOffset = 1 << 40 },
		"below 0":           func(c *format.ColumnMetaData) { c.TotalCompressedSize = -1 },
		"beyond the file":   func(c *format.ColumnMetaData) { c.TotalCompressedSize++ },
		"end of no length":  func(c *format.ColumnMetaData) { c.TotalCompressedSize = 1<<63 - 1 },
		"amid another page": func(c *format.ColumnMetaData) { c.DictionaryPageOffset++; c.TotalCompressedSize-- },
	} {
		if err := newChunk().check(t, move); !errors.Is(err, parquetcheck.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLongHeader: a page header may be as long as the limit, but not longer.
func TestLongHeader(t *testing.T) {
	for length, want := range map[int]bool{900: true, 1100: false} {
		c := newChunk()
		c.first.DataPageHeader.V.Statistics.MaxValue = make([]byte, length)
		if err := c.check(t, func(*format.ColumnMetaData) {}); (err == nil) != want {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}
