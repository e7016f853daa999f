package table

import (
	"io"
	"math/bits"
)

// A LineCounter is a reader that knows the line of every byte it has read. It takes one bit of memory
// for each byte after the last place passed to LineAt.
type LineCounter struct {
	source  io.Reader
	read    int64
	start   int64    // the place of the first bit
	feeds   []uint64 // a bit for each byte, set for line feeds
	settled int      // how many line feeds come before
}

// NewLineCounter returns a counter of the lines of a source.
func NewLineCounter(source io.Reader) *LineCounter { return &LineCounter{source: source} }

const wordBits = 64

func (l *LineCounter) Read(p []byte) (int, error) {
	n, err := l.source.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			place := l.read + int64(i) - l.start
			for int64(len(l.feeds)) <= place/wordBits {
				l.feeds = append(l.feeds, 0)
			}
			l.feeds[place/wordBits] |= 1 << (place % wordBits)
		}
	}
	l.read += int64(n)
	return n, err
}

// LineAt returns the line of a place. Places must not decrease from call to call.
func (l *LineCounter) LineAt(place int64) int {
	words := int(min((place-l.start)/wordBits, int64(len(l.feeds))))
	for _, word := range l.feeds[:words] {
		l.settled += bits.OnesCount64(word)
	}
	l.feeds = l.feeds[words:]
	l.start += int64(words) * wordBits
	if len(l.feeds) == 0 {
		l.start = place
		return l.settled + 1
	}
	before := uint64(1)<<(place-l.start) - 1
	l.settled += bits.OnesCount64(l.feeds[0] & before)
	l.feeds[0] &^= before
	return l.settled + 1
}

// LastLine returns the line of the last byte read.
func (l *LineCounter) LastLine() int { return l.LineAt(l.read) }
