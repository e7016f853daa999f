package answers

import (
	"errors"

	"bestpick/table"
)

// errTooLong is a value that is longer than any may be.
var errTooLong = errors.New(tooLong())

// A valueBound passes JSON on, as much as a value may have.
type valueBound struct {
	*table.LineCounter

	left int // what may still be read for the value at hand
}

func (b *valueBound) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooLong
	}
	n, err := b.LineCounter.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
