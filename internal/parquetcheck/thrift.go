package parquetcheck

import "encoding/binary"

// plausible reports whether data start with a plausible struct in Thrift's compact protocol, the
// format of Parquet metadata: its lists and strings must fit into the data, and its lists must not
// have more elements than the limits allow. The library allocates any length that a list declares:
// a struct of one byte can take hundreds of bytes in memory.
func plausible(data []byte, limits Limits) bool {
	t := thriftSkipper{data: data, most: limits.Structs}
	t.skipStruct(0)
	return !t.failed
}

// plainsPerStruct is the maximum number of numbers and strings in lists per struct.
const plainsPerStruct = 16

// A thriftSkipper skips values without storing them.
type thriftSkipper struct {
	data   []byte // the remaining data
	failed bool

	most    int // structs in lists; 0 for no limit
	structs int // in lists so far
	plains  int // numbers and texts in lists so far
}

// The types of values, except for integers.
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

func (t *thriftSkipper) skip(bytes uint64) {
	if bytes > uint64(len(t.data)) {
		t.failed = true
		t.data = nil
		return
	}
	t.data = t.data[bytes:]
}

func (t *thriftSkipper) readByte() byte {
	if len(t.data) == 0 {
		t.failed = true
		return 0
	}
	b := t.data[0]
	t.data = t.data[1:]
	return b
}

func (t *thriftSkipper) readInteger() uint64 {
	x, n := binary.Uvarint(t.data)
	if n <= 0 {
		t.failed = true
		return 0
	}
	t.data = t.data[n:]
	return x
}

// skipStruct skips the fields of a struct. Each field has a type and the difference of its number
// from the previous one, or 0 and its number. A zero byte ends the struct.
func (t *thriftSkipper) skipStruct(depth int) {
	for !t.failed {
		b := t.readByte()
		if b == 0 {
			return
		}
		if b>>4 == 0 {
			t.readInteger()
		}
		if kind := b & 0xf; kind != thriftTrue && kind != thriftFalse { // they have no further bytes
			t.skipValue(kind, depth)
		}
	}
}

// skipValue skips a value. It fails if the value is nested too deeply.
func (t *thriftSkipper) skipValue(kind byte, depth int) {
	const deepest = 32
	if depth > deepest {
		t.failed = true
		return
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		t.skip(1)
	case thriftDouble:
		t.skip(8)
	case thriftBinary:
		t.skip(t.readInteger())
	case thriftList, thriftSet:
		b := t.readByte()
		size := uint64(b >> 4)
		if size == 0xf {
			size = t.readInteger()
		}
		t.skipValues(size, depth, b&0xf)
	case thriftMap:
		if size := t.readInteger(); size > 0 {
			b := t.readByte()
			t.skipValues(size, depth, b>>4, b&0xf)
		}
	case thriftStruct:
		t.skipStruct(depth + 1)
	default:
		t.readInteger()
	}
}

// skipValues skips size values of each kind. Each value has at least one byte.
func (t *thriftSkipper) skipValues(size uint64, depth int, kinds ...byte) {
	if size > uint64(len(t.data)) || !t.count(int(min(size, 1<<40)), kinds[0]) {
		t.failed = true
	}
	for i := uint64(0); i < size && !t.failed; i++ {
		for _, kind := range kinds {
			t.skipValue(kind, depth+1)
		}
	}
}

// count counts the elements of a list, and reports whether the total is within the limits.
func (t *thriftSkipper) count(size int, kind byte) bool {
	if kind == thriftStruct {
		t.structs += size
	} else {
		t.plains += size
	}
	return t.most == 0 || t.structs <= t.most && t.plains <= plainsPerStruct*t.most
}
