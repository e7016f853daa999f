package answers

import "io"

// A rowBound passes delimited text on, up to the first row that is longer than any may be. It
// keeps the reader behind it from gathering a row without end, such as one with a quote that is
// not closed.
type rowBound struct {
	source io.Reader
	line   int // the one at hand
	start  int // the line on which the row at hand starts, less 1
	length int // of the row at hand, so far
	quoted bool
}

// A tooLongError is a row that is longer than any may be.
type tooLongError struct{ line int }

func (e *tooLongError) Error() string { return tooLong() }

func (b *rowBound) Read(p []byte) (int, error) {
	n, err := b.source.Read(p)
	whole := 0 // of p belongs to rows that have ended
	for i, c := range p[:n] {
		b.length++
		switch c {
		case '"':
			b.quoted = !b.quoted
		case '\n':
			b.line++
			if !b.quoted {
				b.length, b.start, whole = 0, b.line-1, i+1
			}
		}
		if b.length > longestRow {
			return whole, &tooLongError{b.start + 1}
		}
	}
	return n, err
}
