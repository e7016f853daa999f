package read

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
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

// vectorsName is what the embedding of a .npy is called.
const vectorsName = "e"

// readNumbers reads the numbers of a matrix in blocks. While one is read, those before it are
// decoded on the other cores.
func (d *draft) readNumbers(source io.Reader, c *catalogue.Column, header *npyHeader) error {
	const blockNumbers = 1 << 18
	total := header.rows * header.columns
	var decoding sync.WaitGroup
	defer decoding.Wait()
	strange := false // some number is not finite
	large := map[int]float64{}
	var found sync.Mutex // of both
	blocks := make(chan []byte, runtime.GOMAXPROCS(0)+1)
	for range cap(blocks) {
		blocks <- make([]byte, min(blockNumbers, total)*header.size)
	}
	for len(c.Vectors) < total {
		start := len(c.Vectors)
		n := min(blockNumbers, total-start)
		block := <-blocks
		if _, err := io.ReadFull(source, block[:n*header.size]); err != nil {
			return d.endsEarly(err, header)
		}
		if cap(c.Vectors) < start+n {
			decoding.Wait() // Grow moves the numbers: no goroutine may still write to the old place
			c.Vectors = slices.Grow(c.Vectors, n)
		}
		c.Vectors = c.Vectors[:start+n]
		numbers := c.Vectors[start:]
		decoding.Go(func() {
			if !header.decode(block, numbers) {
				found.Lock()
				strange = true
				for i, x := range header.tooLarge(block, numbers) {
					large[start+i] = x
				}
				found.Unlock()
			}
			blocks <- block
		})
	}
	decoding.Wait()
	if strange {
		d.notFinite(c.Vectors, large, header)
	}
	return nil
}

// endsEarly words why a block cannot be read.
func (d *draft) endsEarly(err error, header *npyHeader) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return table.ReadError(d.Source, err)
	}
	return &table.Error{File: d.Source, Problem: table.Problemf("npy-short",
		"the data end too early: the shape says %d × %d numbers", header.rows, header.columns)}
}

// notFinite notes the numbers that are none, or none in 32 bits.
func (d *draft) notFinite(vectors []float32, large map[int]float64, header *npyHeader) {
	for i, number := range vectors {
		if x := float64(number); x-x != 0 {
			row, column := i/header.columns, i%header.columns
			if header.fortran {
				row, column = i%header.rows, i/header.rows
			}
			name := memberName(vectorsName, column)
			if y, isLarge := large[i]; isLarge {
				d.single(row, name, y)
				continue
			}
			d.problem(row, name, table.NoNumber(fmt.Sprint(x)))
		}
	}
}

// transposed returns a matrix row by row that is given column by column.
func transposed(byColumn []float32, rows, columns int) []float32 {
	byRow := make([]float32, len(byColumn))
	for column := range columns {
		for row, x := range byColumn[column*rows : (column+1)*rows] {
			byRow[row*columns+column] = x
		}
	}
	return byRow
}
