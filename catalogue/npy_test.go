package catalogue_test

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// npy returns the header of a .npy as NumPy writes it.
func npy(descr string, fortran bool, shape ...int) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	var sizes strings.Builder
	for _, size := range shape {
		fmt.Fprintf(&sizes, "%d,", size)
	}
	dictionary := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, sizes.String())
	header := []byte("\x93NUMPY\x01\x00")
	header = binary.LittleEndian.AppendUint16(header, uint16(len(dictionary)+1))
	return append(append(header, dictionary...), '\n')
}

// npyFile returns a .npy of a matrix that is given row by row.
func npyFile[T float32 | float64](rows int, numbers []T) string {
	file := npy(fmt.Sprintf("<f%d", binary.Size(numbers[0])), false, rows, len(numbers)/rows)
	file, _ = binary.Append(file, binary.LittleEndian, numbers) // numbers have a fixed size
	return string(file)
}
