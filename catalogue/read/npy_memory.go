package read

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"bestpick/catalogue"
)

// asInMemory reports whether the file has its numbers as this machine has a []float32: then they
// are read to where they stay, at the speed of reading.
func (h *npyHeader) asInMemory() bool {
	return h.descr[1:] == "f4" && h.descr[0] != '>' && binary.NativeEndian.Uint16([]byte{1, 0}) == 1
}

// memoryOf returns the bytes that numbers are made of.
func memoryOf(numbers []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 4*len(numbers)) //nolint:gosec // any bytes are some numbers
}

// readSingles reads numbers that the file has as they are in memory. While a block is read, those
// before it are looked through on the other cores for numbers that are not finite.
func (d *draft) readSingles(source io.Reader, c *catalogue.Column, header *npyHeader) error {
	const blockNumbers = 1 << 20
	total := header.rows * header.columns
	var strange atomic.Bool
	var looking sync.WaitGroup
	defer looking.Wait()
	for len(c.Vectors) < total {
		start := len(c.Vectors)
		n := min(blockNumbers, total-start)
		c.Vectors = slices.Grow(c.Vectors, n)[:start+n]
		numbers := c.Vectors[start:]
		if _, err := io.ReadFull(source, memoryOf(numbers)); err != nil {
			return d.endsEarly(err, header)
		}
		looking.Go(func() {
			if !finite(numbers) {
				strange.Store(true)
			}
		})
	}
	looking.Wait()
	if strange.Load() {
		d.notFinite(c.Vectors, nil, header)
	}
	return nil
}

// finite reports whether all numbers are. Only what is not has all bits of the exponent set, so
// that adding to the lowest of them sets the bit above.
func finite(numbers []float32) bool {
	const exponent, lowest = 0x7f800000, 1 << 23
	above := uint32(0)
	for _, x := range numbers {
		above |= math.Float32bits(x)&exponent + lowest
	}
	return above>>31 == 0
}
