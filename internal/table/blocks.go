package table

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// maxRowBytes is the maximum length of a row if the limits of a file set none.
const maxRowBytes = 64 << 20

// A blockReader cuts text into blocks of whole rows.
type blockReader struct {
	file      string
	text      io.Reader
	delimiter byte
	size      int    // bytes of a block, at least
	ended     error  // of reading text
	rest      []byte // read, but not part of a block yet
	line      int    // of the start of rest
	block     []byte // the memory of the last block
}

// read returns the next block, [io.EOF] after the last. It reuses the memory of the block before. Where reading the text fails, it returns the
// whole rows before the failure first, and then an [Error].
//
// Outside of quotes the number of quotes so far is even, inside it is odd, since a quote within
// quotes is written twice. So a line feed ends a row if it is after an even number of quotes. Text
// with quotes elsewhere is malformed, wherever it is cut.
func (b *blockReader) read() (*textRows, error) {
	text := append(b.block[:0], b.rest...)
	for size := max(b.size, 2*len(b.rest)); b.ended == nil; size *= 2 {
		text = b.fill(text, size)
		end := endOfRows(text)
		switch {
		case errors.Is(b.ended, io.EOF):
			end = len(text)
		case end == 0 && len(text) >= maxRowBytes:
			return nil, &Error{File: b.file, Line: b.line, Problem: endlessRow(text)}
		}
		if end > 0 {
			b.rest, b.block = append(b.rest[:0], text[end:]...), text
			rows := &textRows{file: b.file, delimiter: b.delimiter, text: text[:end], next: b.line}
			b.line += bytes.Count(text[:end], []byte{'\n'})
			return rows, nil
		}
	}
	if errors.Is(b.ended, io.EOF) {
		return nil, io.EOF
	}
	return nil, b.failure()
}

// failure returns the [Error] of reading, nil if there is none so far.
func (b *blockReader) failure() error {
	if b.ended == nil || errors.Is(b.ended, io.EOF) {
		return nil
	}
	if exceeded, is := errors.AsType[*Error](b.ended); is {
		return exceeded
	}
	return ReadError(b.file, b.ended)
}

// endlessRow returns the problem of a text without the end of a row. If it has a line feed, an
// unclosed quote has swallowed the following rows.
func endlessRow(text []byte) Problem {
	if bytes.IndexByte(text, '\n') >= 0 {
		return quoteNotClosed()
	}
	return Limits{RowBytes: maxRowBytes}.RowProblem(len(text) + 1)
}

// fill reads until text has this size or the source ends. The capacity grows with the text: a short
// file needs little.
func (b *blockReader) fill(text []byte, size int) []byte {
	const least = 1 << 12
	for len(text) < size && b.ended == nil {
		if len(text) == cap(text) {
			text = slices.Grow(text, max(least, min(len(text), size-len(text))))
		}
		n, err := b.text.Read(text[len(text):min(size, cap(text))])
		text, b.ended = text[:len(text)+n], err
	}
	return text
}

// endOfRows returns the end of the last whole row of text.
func endOfRows(text []byte) int {
	quote := []byte{'"'}
	quotes := bytes.Count(text, quote)
	for end := len(text); ; {
		start := bytes.LastIndexByte(text[:end], '\n')
		if start < 0 {
			return 0
		}
		quotes -= bytes.Count(text[start:end], quote)
		if quotes%2 == 0 {
			return start + 1
		}
		end = start
	}
}
