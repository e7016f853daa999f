package table

import (
	"errors"
	"io"
	"runtime"
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
