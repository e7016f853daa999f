package parquetcheck

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// level says how the repetition or definition levels of a page are stored.
type level struct {
	most     int // 0 if the page has none
	encoding format.Encoding
	length   int // in bytes; -1 if it precedes them in the page
}

// contents is what a page declares about its values.
type contents struct {
	encoding format.Encoding
	kind     parquet.Kind
	values   int64
}

// checkLevels checks levels at the start of a body.
func checkLevels(body []byte, levels []level, values int64) error {
	for _, l := range levels {
		data, rest, ok := l.cut(body)
		if !ok || l.most > 0 && !runsFit(data, bits.Len(uint(l.most)), values) {
			return ErrDamaged
		}
		body = rest
	}
	return nil
}

// cut splits levels off a body.
func (l level) cut(body []byte) (data, rest []byte, ok bool) {
	length := l.length
	if length < 0 {
		if l.most == 0 {
			return nil, body, true
		}
		if l.encoding != format.RLE || len(body) < 4 {
			return nil, nil, false
		}
		length = int(binary.LittleEndian.Uint32(body))
		body = body[4:]
	}
	if length > len(body) {
		return nil, nil, false
	}
	return body[:length], body[length:], true
}

// plainDictionary is the encoding of dictionary-encoded pages in files of older writers.
const plainDictionary = format.PlainDictionary //nolint:staticcheck // deprecated for writers, not for readers

// checkValues checks the values of a body behind its levels: a run, or the header of delta-encoded
// numbers, can declare any number of them.
func (c *Checker) checkValues(body []byte, levels []level, page contents) error {
	if err := checkLevels(body, levels, page.values); err != nil {
		return err
	}
	for _, l := range levels {
		_, body, _ = l.cut(body) // checkLevels was successful
	}
	ok := true
	switch page.encoding { //nolint:exhaustive // all others are rejected
	case format.Plain, format.ByteStreamSplit: // their size bounds the number of values
	case plainDictionary, format.RLEDictionary:
		ok = len(body) == 0 || runsFit(body[1:], int(body[0]), page.values)
	case format.RLE:
		ok = page.kind == parquet.Boolean && (len(body) <= 4 || runsFit(body[4:], 1, page.values))
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		ok = differencesFit(body, page.values)
	case format.DeltaByteArray:
		return c.checkPrefixes(body, page.values)
	default:
		ok = false
	}
	if !ok {
		return ErrDamaged
	}
	return nil
}

// runsFit reports whether data in the hybrid of runs and bit-packed groups have no more values than
// declared, apart from the padding of the last group.
func runsFit(data []byte, width int, values int64) bool {
	const filling = 512
	for len(data) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return false
		}
		data = data[n:]
		count := head >> 1
		if count > uint64(values)+filling {
			return false
		}
		length := (width + 7) / 8
		if head&1 != 0 {
			length = int(count) * width
			count *= 8
		}
		if values -= int64(count); values < -filling {
			return false
		}
		data = data[min(length, len(data)):]
	}
	return true
}

// differencesFit reports whether delta-encoded numbers are no more than declared. Their header has
// the size of a block, the number of its parts and the number of values.
func differencesFit(data []byte, values int64) bool {
	total := uint64(0)
	for range 3 {
		x, n := binary.Uvarint(data)
		if n <= 0 {
			return len(data) == 0
		}
		total, data = x, data[n:]
	}
	return total <= uint64(values)
}

// checkPrefixes checks strings that are stored as the length of the prefix shared with the previous
// one, and a suffix.
func (c *Checker) checkPrefixes(body []byte, values int64) error {
	if !differencesFit(body, values) {
		return ErrDamaged
	}
	prefixes, err := (&delta.BinaryPackedEncoding{}).DecodeInt32(nil, body)
	if err != nil {
		return ErrDamaged
	}
	size := int64(len(body))
	for _, prefix := range prefixes {
		if prefix < 0 {
			return ErrDamaged
		}
		size += int64(prefix)
	}
	if size > int64(c.limits.Size) {
		return tooLarge("a page of the Parquet file is larger than %s; write it with smaller pages or row groups", int64(c.limits.Size))
	}
	return nil
}
