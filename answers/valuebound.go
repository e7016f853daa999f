package answers

import (
	"errors"
	"io"
)

// errTooLong is a value that is longer than any may be.
var errTooLong = errors.New(tooLong())

// A valueBound passes JSON on, as much as a value may have, and knows on which line it is.
type valueBound struct {
	source  io.Reader
	left    int // what may still be read for the value at hand
	read    int64
	feeds   []int64 // where line feeds are, from the place last asked for on
	settled int     // how many come before
}

func (b *valueBound) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooLong
	}
	n, err := b.source.Read(p[:min(len(p), b.left)])
	for i, c := range p[:n] {
		if c == '\n' {
			b.feeds = append(b.feeds, b.read+int64(i))
		}
	}
	b.left -= n
	b.read += int64(n)
	return n, err
}

// lineAt returns the line of a place, which must not be before the one asked for last.
func (b *valueBound) lineAt(place int64) int {
	before := 0
	for before < len(b.feeds) && b.feeds[before] < place {
		before++
	}
	b.settled += before
	b.feeds = b.feeds[before:]
	return b.settled + 1
}
