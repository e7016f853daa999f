package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
)

const (
	// blockSize is how much text is read at once.
	blockSize = 4 << 20

	// longestRow is how much text is read before a row has to end.
	longestRow = 64 << 20
)

// Blocks are the rows of a table below its header, many at a time: for tables that are too
// large to go through one row after the other, as a [Reader] does. What the rows are is the
// same, except that they may have more or fewer fields than the header.
type Blocks struct {
	file      string
	text      *bufio.Reader
	delimiter byte
	ended     error  // why nothing is left in text
	rest      []byte // read, but behind the end of the last block
	line      int    // on which rest starts

	header     []string
	headerLine int
	first      *Rows    // the block below the header, until Next returns it
	free       [][]byte // rooms of blocks that are done with
}

// NewBlocks reads the header, and the block below it. file is the name to use in errors.
func NewBlocks(source io.Reader, file string) (*Blocks, error) {
	text, delimiter, err := openText(source, file)
	if err != nil {
		return nil, err
	}
	b := &Blocks{file: file, text: text, delimiter: delimiter, line: 1}
	rows, err := b.read()
	if errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Problem: NoText}
	}
	if err != nil {
		return nil, err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, &Error{File: file, Problem: NoText}
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

// First returns the rows of the block below the header, to look at. [Blocks.Next] returns
// them once more.
func (b *Blocks) First() *Rows {
	return &Rows{file: b.file, delimiter: b.delimiter, text: b.first.text, at: b.first.at, next: b.first.next}
}

// Next returns the next block, [io.EOF] behind the last.
func (b *Blocks) Next() (*Rows, error) {
	if rows := b.first; rows != nil {
		b.first = nil
		return rows, nil
	}
	return b.read()
}

// read reads a block that ends where a row does.
//
// Outside of quotes the number of quotes so far is even, inside it is odd, since a quote
// within quotes is written twice. So a line feed ends a row if it is behind an even number
// of quotes. Text in which quotes stand elsewhere is refused where they do, however it is cut.
func (b *Blocks) read() (*Rows, error) {
	text := append(b.room(), b.rest...)
	for size := max(blockSize, 2*len(b.rest)); ; size *= 2 {
		text = b.fill(text, size)
		if b.ended != nil {
			break
		}
		if end := endOfRows(text); end > 0 {
			b.rest = append(b.rest[:0], text[end:]...)
			return b.rows(text[:end]), nil
		}
		if len(text) >= longestRow {
			return nil, &Error{File: b.file, Line: b.line, Problem: endless(text)}
		}
	}
	b.rest = nil
	if !errors.Is(b.ended, io.EOF) {
		return nil, readError(b.file, b.ended)
	}
	if len(text) == 0 {
		return nil, io.EOF
	}
	return b.rows(text), nil
}

// endless returns what is wrong with text that is too long for a row and has no end of one. If there
// is a line feed in it, a quote that is not closed has swallowed the rows behind it.
func endless(text []byte) string {
	if bytes.IndexByte(text, '\n') >= 0 {
		return quoteNotClosed
	}
	return Limits{RowBytes: longestRow}.RowProblem(len(text) + 1)
}

// room returns an empty slice for the text of a block.
func (b *Blocks) room() []byte {
	last := len(b.free) - 1
	if last < 0 {
		return nil
	}
	room := b.free[last]
	b.free = b.free[:last]
	return room[:0]
}

// fill reads until text has a size or there is nothing left to read. The room of a text grows
// with it: a short file needs little.
func (b *Blocks) fill(text []byte, size int) []byte {
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

// endOfRows returns where the last whole row of text ends.
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

// rows returns whole rows to go through.
func (b *Blocks) rows(text []byte) *Rows {
	rows := &Rows{file: b.file, delimiter: b.delimiter, text: text, next: b.line}
	b.line += bytes.Count(text, []byte{'\n'})
	return rows
}

// InOrder hands every block that is left to work, on all cores, and what work makes of them
// to take, one at a time and in the order of the file, until taking or reading fails. What
// work returns must not hold on to the fields.
func InOrder[T any](blocks *Blocks, work func(*Rows) T, take func(T) error) error {
	const mostWorkers = 16
	workers := min(runtime.GOMAXPROCS(0), mostWorkers)
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
		blocks.free = append(blocks.free, first.rows.text)
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

// A job is a block that a worker goes through.
type job[T any] struct {
	rows *Rows
	done chan T // holds what came of it
}
