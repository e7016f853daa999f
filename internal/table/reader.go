// Package table reads delimited text, row by row or in blocks of rows, and reports problems with
// their place in the file:
//
//	arms.csv:17: column "price": "abc" is not a number
//
// It accepts the output of spreadsheets and statistics packages: commas, semicolons, tabs or bars
// as the header has them, quoted fields, a byte-order mark, UTF-8, UTF-16 and Windows-1252, CRLF line
// ends, a first line sep=;, rows without values, and any of it compressed with gzip. [Reader] and [Blocks]
// share one grammar, that of encoding/csv. A [Reader] holds a few kilobytes, [Blocks] a few megabytes for each core.
package table

import (
	"errors"
	"io"
	"regexp"
	"strings"
)

// A Reader reads the rows of a table below its header. Not safe for concurrent use.
type Reader struct {
	file   string
	blocks *blockReader                  // nil if the source is not text
	rows   *Rows                         // the current block of text
	other  func() ([]string, int, error) // returns the next row if the source is not text
	row    []string                      // the current row
	line   int                           // of the current row

	header     []string
	headerLine int
}

// NewReader reads the header. file is the file name in errors. A file that exceeds the limits returns
// an [Error] once the rows before that are read.
func NewReader(source io.Reader, file string, limits Limits) (*Reader, error) {
	text, delimiter, err := openText(source, file)
	if err != nil {
		return nil, err
	}
	return newReader(text, file, delimiter, limits)
}

// NewCSVReader is like [NewReader] for the output of [encoding/csv.Writer]: it recognises neither
// compression nor a byte-order mark nor other delimiters.
func NewCSVReader(text io.Reader, file string, limits Limits) (*Reader, error) {
	return newReader(text, file, ',', limits)
}

// NewRecordReader returns a reader of rows that are not delimited text, such as the rows of a Parquet
// file. line is that of the header, 0 if it has none. next returns the fields of a row and its line, and
// [io.EOF] after the last. The fields are valid until the next call.
func NewRecordReader(file string, header []string, line int, next func() (row []string, line int, err error)) *Reader {
	return &Reader{file: file, other: next, row: header, line: line, header: header, headerLine: line}
}

func newReader(text io.Reader, file string, delimiter byte, limits Limits) (*Reader, error) {
	const blockSize = 1 << 12 // small, so that a program that writes into a pipe is not blocked
	if limits != (Limits{}) {
		text = limitRows(text, file, delimiter, limits)
	}
	r := &Reader{file: file, blocks: &blockReader{file: file, text: text, delimiter: delimiter, size: blockSize, line: 1}}
	err := r.next()
	if errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Problem: NoText()}
	}
	if err != nil {
		return nil, err
	}
	for _, name := range r.row {
		r.header = append(r.header, strings.Clone(strings.TrimSpace(name)))
	}
	r.headerLine = r.line
	return r, nil
}

// next moves to the next row. It returns [io.EOF] after the last.
func (r *Reader) next() (err error) {
	if r.other != nil {
		r.row, r.line, err = r.other()
		return err
	}
	for r.rows == nil || !r.rows.Next() {
		if r.rows != nil {
			if err := r.rows.Err(); err != nil {
				return err
			}
			r.blocks.release(r.rows)
		}
		rows, err := r.blocks.read()
		if err != nil {
			return r.readError(err)
		}
		r.rows = rows
	}
	r.row, r.line = r.rows.appendFields(r.row[:0]), r.rows.Line()
	return nil
}

// readError returns an error of the source with the line that follows the current row, unless the
// error has a line.
func (r *Reader) readError(err error) error {
	failed, is := errors.AsType[*Error](err)
	if !is || failed.Line > 0 || errors.Is(err, ErrLimit) || r.line == 0 {
		return err
	}
	failed.Line = r.line + 1
	return failed
}

// Header returns the names of the columns. The caller must not change them.
func (r *Reader) Header() []string { return r.header }

// Column returns the place of the column with the given name.
func (r *Reader) Column(name string) (int, error) {
	at := -1
	for i, column := range r.header {
		if column != name {
			continue
		}
		if at >= 0 {
			return 0, &Error{File: r.file, Line: r.headerLine, Column: name, Problem: TwoColumns()}
		}
		at = i
	}
	if at < 0 {
		return 0, &Error{File: r.file, Line: r.headerLine, Column: name, Problem: NoColumn(r.header)}
	}
	return at, nil
}

// Each calls f for every row, until f or reading fails. A table without rows returns an [Error].
func (r *Reader) Each(f func() error) error {
	for count := 0; ; count++ {
		err := r.next()
		if errors.Is(err, io.EOF) {
			if count == 0 {
				return &Error{File: r.file, Problem: NoRows()}
			}
			return nil
		}
		if err != nil {
			return err
		}
		if len(r.row) != len(r.header) {
			return &Error{File: r.file, Line: r.line, Problem: Ragged(len(r.row), len(r.header))}
		}
		if err := f(); err != nil {
			return err
		}
	}
}

// Line returns the line on which the current row starts.
func (r *Reader) Line() int { return r.line }

// Row returns the fields of the current row, with surrounding space. Before [Reader.Each], the current
// row is the header. The slice is valid until the next row.
func (r *Reader) Row() []string { return r.row }

// Text returns a field of the current row, without surrounding space.
func (r *Reader) Text(column int) string {
	return strings.TrimSpace(r.row[column])
}

// Number returns a field of the current row as a finite number.
func (r *Reader) Number(column int) (float64, error) {
	text := r.Text(column)
	if x, ok := ParseNumber(text); ok {
		return x, nil
	}
	return 0, r.Problem(column, NoNumber(text))
}

// Missing returns the error for a field without a value.
func (r *Reader) Missing(column int) error { return r.Problem(column, NoValue(r.Text(column))) }

// Errorf returns an [Error] about a column of the current row.
func (r *Reader) Errorf(column int, format string, arguments ...any) error {
	return r.Problem(column, Problemf("", format, arguments...))
}

// Problem returns the [Error] of a problem in a column of the current row.
func (r *Reader) Problem(column int, problem Problem) error {
	line := r.line
	if r.rows != nil {
		line = r.rows.fieldLine(column)
	}
	return r.ProblemAt(line, r.header[column], problem)
}

// ErrorAt returns an [Error] about any place in the file.
func (r *Reader) ErrorAt(line int, column, format string, arguments ...any) error {
	return r.ProblemAt(line, column, Problemf("", format, arguments...))
}

// ProblemAt returns the [Error] of a problem at any place in the file.
func (r *Reader) ProblemAt(line int, column string, problem Problem) error {
	return &Error{File: r.file, Line: line, Column: column, Problem: problem}
}

// formula matches texts that spreadsheets execute as formulas, also after apostrophes. Some
// spreadsheets accept full-width characters, too.
var formula = regexp.MustCompile(`^'*\s*[=+\-@＝＋－＠]`)

// Protect adds an apostrophe to a text that spreadsheets would execute as a formula.
func Protect(text string) string {
	if formula.MatchString(text) {
		return "'" + text
	}
	return text
}

// Unprotect reverses [Protect].
func Unprotect(text string) string {
	if rest, found := strings.CutPrefix(text, "'"); found && formula.MatchString(rest) {
		return rest
	}
	return text
}
