package table

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
)

// Blocks reads the rows of a table below its header in blocks, for tables that are too large for a
// [Reader], which reads one row after the other. The grammar is the same, but rows may have more or
// fewer fields than the header.
type Blocks struct {
	blockReader

	header     []string
	headerLine int
	first      *Rows // the block below the header, until Next returns it
	encoding   func() string
}

// NewBlocks reads the header and the block below it. file is the file name in errors.
func NewBlocks(source io.Reader, file string) (*Blocks, error) {
	text, delimiter, err := openText(source, file)
	if err != nil {
		return nil, err
	}
	b, err := newBlocks(text, file, delimiter)
	if err == nil {
		b.encoding = text.Encoding
	}
	return b, err
}

func newBlocks(text io.Reader, file string, delimiter byte) (*Blocks, error) {
	const blockSize = 4 << 20
	b := &Blocks{blockReader: blockReader{file: file, text: text, delimiter: delimiter, size: blockSize, line: 1}}
	rows, err := b.Next()
	if errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Problem: NoText()}
	}
	if err != nil {
		return nil, err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, &Error{File: file, Problem: NoText()}
	}
	for range rows.Len() {
		b.header = append(b.header, string(rows.Text()))
	}
	b.headerLine = rows.Line()
	b.first = rows
	return b, nil
}

// Header returns the names of the columns. The caller must not change them.
func (b *Blocks) Header() []string { return b.header }

// HeaderLine returns the line of the header.
func (b *Blocks) HeaderLine() int { return b.headerLine }

// Encoding returns the encoding of the text if what was read so far shows that it is not UTF-8, or "".
func (b *Blocks) Encoding() string {
	return b.encoding()
}

// Delimiter returns what separates the fields.
func (b *Blocks) Delimiter() byte { return b.delimiter }

// First returns the rows of the block below the header for a preview. [Blocks.Next] returns them
// again.
func (b *Blocks) First() *Rows {
	return &Rows{file: b.file, delimiter: b.delimiter, text: b.first.text, at: b.first.at, next: b.first.next}
}

// Next returns the next block, [io.EOF] after the last. A failure of reading is returned at once,
// without the rows before it.
func (b *Blocks) Next() (*Rows, error) {
	if rows := b.first; rows != nil {
		b.first = nil
		return rows, nil
	}
	rows, err := b.read()
	if failure := b.failure(); failure != nil {
		return nil, failure
	}
	return rows, err
}

// InOrder calls work for every remaining block, on all cores, and take for its results, one at a
// time and in the order of the file, until take or reading fails. Results must not refer to fields.
func InOrder[T any](blocks *Blocks, work func(*Rows) T, take func(T) error) error {
	const maxWorkers = 16
	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	jobs := make(chan job[T])
	var running sync.WaitGroup
	defer running.Wait()
	defer close(jobs)
	for range workers {
		running.Go(func() {
			for j := range jobs {
				j.done <- work(j.rows)
			}
		})
	}
	var waiting []job[T]
	takeFirst := func() error {
		first := waiting[0]
		waiting = waiting[1:]
		err := take(<-first.done)
		blocks.release(first.rows)
		return err
	}
	for {
		rows, err := blocks.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		j := job[T]{rows: rows, done: make(chan T, 1)}
		jobs <- j
		waiting = append(waiting, j)
		if len(waiting) > workers {
			if err := takeFirst(); err != nil {
				return err
			}
		}
	}
	for len(waiting) > 0 {
		if err := takeFirst(); err != nil {
			return err
		}
	}
	return nil
}

// A job is a block that a worker works on.
type job[T any] struct {
	rows *Rows
	done chan T // receives the result
}

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
	free      [][]byte
}

// read returns the next block, [io.EOF] after the last. Where reading the text fails, it returns the
// whole rows before the failure first, and then an [Error].
//
// Outside of quotes the number of quotes so far is even, inside it is odd, since a quote within
// quotes is written twice. So a line feed ends a row if it is after an even number of quotes. Text
// with quotes elsewhere is malformed, wherever it is cut.
func (b *blockReader) read() (*Rows, error) {
	text := append(b.buffer(), b.rest...)
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
			b.rest = append(b.rest[:0], text[end:]...)
			return b.rows(text[:end]), nil
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

// buffer returns an empty slice for the text of a block.
func (b *blockReader) buffer() []byte {
	last := len(b.free) - 1
	if last < 0 {
		return nil
	}
	buffer := b.free[last]
	b.free = b.free[:last]
	return buffer[:0]
}

// release reuses the memory of a block for later ones.
func (b *blockReader) release(rows *Rows) { b.free = append(b.free, rows.text) }

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

// rows returns the rows of a block.
func (b *blockReader) rows(text []byte) *Rows {
	rows := &Rows{file: b.file, delimiter: b.delimiter, text: text, next: b.line}
	b.line += bytes.Count(text, []byte{'\n'})
	return rows
}
