package table

import "io"

// A LineCounter passes text on and knows on which line its bytes are.
type LineCounter struct {
	source  io.Reader
	read    int64
	feeds   []int64 // where line feeds are, from the place last asked for on
	settled int     // how many come before
}

// NewLineCounter returns a counter of the lines of a source.
func NewLineCounter(source io.Reader) *LineCounter { return &LineCounter{source: source} }

func (l *LineCounter) Read(p []byte) (int, error) {
	n, err := l.source.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.feeds = append(l.feeds, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// LineAt returns the line of a place, which must not be before the one asked for last.
func (l *LineCounter) LineAt(place int64) int {
	before := 0
	for before < len(l.feeds) && l.feeds[before] < place {
		before++
	}
	l.settled += before
	l.feeds = l.feeds[before:]
	return l.settled + 1
}

// LastLine returns the line of the end of what was read.
func (l *LineCounter) LastLine() int { return l.LineAt(l.read) }
