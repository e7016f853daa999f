package table

import "io"

// A ValueLimit is a reader of JSON that limits the length of each value, and counts lines. Call
// [ValueLimit.Next] before each value.
type ValueLimit struct {
	*LineCounter

	limits Limits
	left   int // bytes that may still be read of the current value
}

// NewValueLimit limits the values of a source to Limits.RowBytes each.
func NewValueLimit(source io.Reader, limits Limits) *ValueLimit {
	l := &ValueLimit{LineCounter: NewLineCounter(source), limits: limits}
	l.Next()
	return l
}

// Next starts another value.
func (l *ValueLimit) Next() { l.left = l.limits.RowBytes }

// Read returns an error once the current value exceeds the limit.
func (l *ValueLimit) Read(p []byte) (int, error) {
	if l.limits.RowBytes == 0 {
		return l.LineCounter.Read(p)
	}
	if l.left == 0 {
		return 0, l.limits.RowProblem(l.limits.RowBytes + 1)
	}
	n, err := l.LineCounter.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
