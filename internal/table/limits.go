package table

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits bounds what a reader accepts of one file, so that the memory it takes is bounded, too. A
// field that is 0 sets no limit.
type Limits struct {
	Rows     int   // rows below the header, or objects
	Columns  int   // columns, and fields of one row
	RowBytes int   // bytes of one row, or of one object
	Values   int   // values of all columns; a vector counts as many as it has numbers
	Bytes    int64 // bytes of the decompressed file
}

// RowsProblem returns the problem of a file with this many rows, if any, beyond the limits.
func (l Limits) RowsProblem(rows int64) Problem {
	if l.Rows == 0 || rows <= int64(l.Rows) {
		return Problem{}
	}
	return Problemf("many-rows", "the file has more than %s rows", Grouped(l.Rows))
}

// ColumnsProblem returns the problem of a file with this many columns, if any, beyond the limits.
func (l Limits) ColumnsProblem(columns int) Problem {
	if l.Columns == 0 || columns <= l.Columns {
		return Problem{}
	}
	return Problemf("many-columns", "the file has more than %s columns", Grouped(l.Columns))
}

// RowProblem returns the problem of a row of this many bytes, if any, beyond the limits.
func (l Limits) RowProblem(bytes int) Problem {
	if l.RowBytes == 0 || bytes <= l.RowBytes {
		return Problem{}
	}
	return Problemf("long-row", "the row is longer than %s", Size(int64(l.RowBytes)))
}

// ValuesProblem returns the problem of a file with this many rows of this many values each, if any,
// beyond the limits. Neither may be negative.
func (l Limits) ValuesProblem(rows, each int) Problem {
	if l.Values == 0 || each == 0 || rows <= l.Values/each {
		return Problem{}
	}
	return Problemf("many-values", "the file has more than %s values in all", Grouped(l.Values))
}

// BytesProblem returns the problem of a file that decompresses to this many bytes, if any, beyond
// the limits.
func (l Limits) BytesProblem(bytes int64) Problem {
	if l.Bytes == 0 || bytes <= l.Bytes {
		return Problem{}
	}
	return Problemf("large", "the contents of the file are larger than %s", Size(l.Bytes))
}

// Size formats a number of bytes for people, such as "64 KB".
func Size(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KB", bytes>>10)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}

// Grouped formats a number with thousands separators, such as "200,000".
func Grouped(n int) string {
	digits := strconv.Itoa(n)
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}
