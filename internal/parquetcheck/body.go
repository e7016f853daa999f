package parquetcheck

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// checkBody checks the current page: it must decompress to the size that it declares, and must not
// contain more values than it declares.
func (c *Checker) checkBody(header *format.PageHeader, column Column) error {
	size := int(header.UncompressedPageSize)
	switch header.Type { //nolint:exhaustive // all others are rejected
	case format.DictionaryPage:
		if e := header.DictionaryPageHeader.V.Encoding; e != format.Plain && e != plainDictionary {
			return ErrDamaged
		}
		_, err := c.decompressed(column.Codec, c.packed, size)
		return err
	case format.DataPage:
		body, err := c.decompressed(column.Codec, c.packed, size)
		if err != nil {
			return err
		}
		page := header.DataPageHeader.V
		levels := []level{{column.Repetition, page.RepetitionLevelEncoding, -1}, {column.Definition, page.DefinitionLevelEncoding, -1}}
		return c.checkValues(body, levels, contents{page.Encoding, column.Kind, int64(page.NumValues)})
	case format.DataPageV2:
		body, page := c.packed, header.DataPageHeaderV2.V
		repetition, definition := int64(page.RepetitionLevelsByteLength), int64(page.DefinitionLevelsByteLength)
		if repetition < 0 || definition < 0 || repetition+definition > int64(len(body)) || page.NumNulls < 0 || page.NumNulls > page.NumValues {
			return ErrDamaged
		}
		values := body[repetition+definition:]
		if !page.IsCompressed.Valid || page.IsCompressed.V {
			var err error
			if values, err = c.decompressed(column.Codec, values, size); err != nil {
				return err
			}
		}
		levels := []level{{column.Repetition, format.RLE, int(repetition)}, {column.Definition, format.RLE, int(definition)}}
		if err := checkLevels(body, levels, int64(page.NumValues)); err != nil {
			return err
		}
		return c.checkValues(values, nil, contents{page.Encoding, column.Kind, int64(page.NumValues)})
	default:
		return ErrDamaged
	}
}

// decompressed returns the contents of a page, or [ErrDamaged] if they are larger than declared.
// The result is valid until the next page.
func (c *Checker) decompressed(codec format.CompressionCodec, packed []byte, size int) ([]byte, error) {
	if codec == format.Uncompressed {
		return packed, nil
	}
	c.body = resized(c.body, size)
	var n int
	var err error
	switch codec { //nolint:exhaustive // the library supports no others
	case format.Snappy:
		if length, _ := binary.Uvarint(packed); length > uint64(size) {
			return nil, ErrDamaged
		}
		var body []byte
		body, err = snappy.Decode(c.body, packed)
		n = len(body)
	case format.Gzip:
		var reader *gzip.Reader
		if reader, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			n, err = readAll(reader, c.body)
		}
	case format.Brotli:
		n, err = readAll(brotli.NewReader(bytes.NewReader(packed)), c.body)
	case format.Zstd:
		n, err = c.unpackZstd(packed)
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(packed, c.body)
	default:
		return nil, ErrDamaged
	}
	if err != nil {
		return nil, ErrDamaged
	}
	return c.body[:n], nil
}

func (c *Checker) unpackZstd(packed []byte) (int, error) {
	if c.zstd == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
		c.zstd = decoder
	}
	body, err := c.zstd.DecodeAll(packed, c.body[:0:len(c.body)])
	return len(body), err
}

// readAll reads to the end. It returns an error if the data does not fit into room.
func readAll(from io.Reader, room []byte) (int, error) {
	n, err := io.ReadFull(from, room)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	if more, err := io.ReadFull(from, make([]byte, 1)); more > 0 || !errors.Is(err, io.EOF) {
		return n, ErrDamaged
	}
	return n, nil
}
