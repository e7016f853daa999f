package answers

import "encoding/binary"

// plausible reports whether data start with a struct in the compact protocol of Thrift, in which
// Parquet describes itself, whose lists and texts are no longer than the data.
func plausible(data []byte) bool {
	t := thriftData{rest: data}
	t.skipStruct(0)
	return !t.failed
}

// thriftData is data that values are skipped in.
type thriftData struct {
	rest   []byte
	failed bool
}

// The types of values that are not integers of any length.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// skip goes over so many bytes and returns the last of them.
func (t *thriftData) skip(bytes uint64) (last byte) {
	if bytes > uint64(len(t.rest)) {
		t.failed, t.rest = true, nil
		return 0
	}
	if bytes > 0 {
		last = t.rest[bytes-1]
	}
	t.rest = t.rest[bytes:]
	return last
}

func (t *thriftData) integer() uint64 {
	x, n := binary.Uvarint(t.rest)
	t.skip(uint64(max(n, 0)))
	t.failed = t.failed || n <= 0
	return x
}

// skipStruct goes over fields up to a byte 0. Each has a byte with its type and how much its
// number is above the last one's; where that is 0, the number follows.
func (t *thriftData) skipStruct(depth int) {
	for !t.failed {
		b := t.skip(1)
		if b == 0 {
			return
		}
		if b>>4 == 0 {
			t.integer()
		}
		if kind := b & 0xf; kind != thriftTrue && kind != thriftFalse { // which are the type itself
			t.skipValues(1, depth, kind)
		}
	}
}

// skipValues goes over so many values of each kind. All have a byte at least.
func (t *thriftData) skipValues(count uint64, depth int, kinds ...byte) {
	const deepest = 32
	if count > uint64(len(t.rest)) || depth > deepest {
		t.failed = true
	}
	for i := uint64(0); i < count && !t.failed; i++ {
		for _, kind := range kinds {
			t.skipValue(kind, depth)
		}
	}
}

func (t *thriftData) skipValue(kind byte, depth int) {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		t.skip(1)
	case thriftDouble:
		t.skip(8)
	case thriftBinary:
		t.skip(t.integer())
	case thriftList, thriftSet:
		b := t.skip(1)
		count := uint64(b >> 4)
		if count == 0xf {
			count = t.integer()
		}
		t.skipValues(count, depth+1, b&0xf)
	case thriftMap:
		if count := t.integer(); count > 0 {
			b := t.skip(1)
			t.skipValues(count, depth+1, b>>4, b&0xf)
		}
	case thriftStruct:
		t.skipStruct(depth + 1)
	default:
		t.integer()
	}
}
