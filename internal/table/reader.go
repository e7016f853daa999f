// Package table reads delimited text row by row, and reports problems with their place in the file:
//
//	arms.csv:17: column "price": "abc" is not a number
//
// It accepts the output of spreadsheets and statistics packages: commas, semicolons, tabs or bars as the header has them, quoted
// fields, a byte-order mark, UTF-8, UTF-16 and Windows-1252, CRLF line ends, a first line sep=;, rows without values, and any of
// it compressed with gzip. The grammar is that of encoding/csv. A [Reader] holds a few kilobytes.
package table

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"
)

// A Reader reads the rows of a table below its header. Not safe for concurrent use.
type Reader struct {
	file  string
	text  *Text       // nil if the source is not delimited text, or known to be UTF-8
	rows  *textRows   // nil if the source is not delimited text
	other *Derivation // of rows that are not text
	keep  func() bool // reports whether the current row is selected; nil for all rows
	none  Problem     // if no row is
	row   []string    // the current row
	line  int         // of the current row

	header     []string
	headerLine int
}

// A Derivation is rows that are not delimited text, such as those of a sheet, or rows made of others.
type Derivation struct {
	File   string // in errors
	Header []string
	Line   int // of the header, 0 if it has none
	// Each calls yield with the fields and the line of every row, until yield or reading fails. The
	// fields are valid until yield returns.
	Each func(yield func(row []string, line int) error) error
	// Place returns where a field of the current row comes from. Default: the line of the row.
	Place func(column int) (file string, line int, name string)
	// NoColumn returns the error of a missing column. Default: it lists those of the header.
	NoColumn func(name string) error
}

// NewRows returns a reader of other rows.
func NewRows(d Derivation) *Reader {
	return &Reader{file: d.File, other: &d, row: d.Header, line: d.Line, header: d.Header, headerLine: d.Line}
}

// Select makes [Reader.Each] skip the rows that keep rejects. If it rejects all, none is the problem.
func (r *Reader) Select(keep func() bool, none Problem) { r.keep, r.none = keep, none }

// Watch makes [Reader.Each] call see for every row, also for those that are not selected.
func (r *Reader) Watch(see func()) {
	keep := r.keep
	r.keep = func() bool {
		see()
		return keep == nil || keep()
	}
}

// NewReader reads the header. file is the file name in errors. A file that exceeds the limits returns
// an [Error] once the rows before that are read.
func NewReader(source io.Reader, file string, limits Limits) (*Reader, error) {
	text, delimiter, err := openText(source, file)
	if err != nil {
		return nil, err
	}
	r, err := newReader(text, file, delimiter, limits)
	if err == nil {
		r.text = text
	}
	return r, err
}

// NewCSVReader is like [NewReader] for the output of [encoding/csv.Writer]: it recognises neither
// compression nor a byte-order mark nor other delimiters.
func NewCSVReader(text io.Reader, file string, limits Limits) (*Reader, error) {
	return newReader(text, file, ',', limits)
}

func newReader(text io.Reader, file string, delimiter byte, limits Limits) (*Reader, error) {
	if limits != (Limits{}) {
		text = limitRows(text, file, delimiter, limits)
	}
	r := &Reader{file: file, rows: &textRows{file: file, source: bufio.NewReader(text), delimiter: delimiter, next: 1}}
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
func (r *Reader) next() error {
	if err := r.rows.nextRow(); err != nil {
		return r.readError(err)
	}
	r.row, r.line = r.rows.appendFields(r.row[:0]), r.rows.line
	return nil
}

// readError returns an error of the source with the line that follows the current row, unless the error has a line.
func (r *Reader) readError(err error) error {
	failed, is := errors.AsType[*Error](err)
	if !is || failed.Line > 0 || errors.Is(err, ErrLimit) || r.line == 0 {
		return err
	}
	failed.Line = r.line + 1
	return failed
}

// Name returns the name of the file in errors.
func (r *Reader) Name() string { return r.file }

// Header returns the names of the columns. The caller must not change them.
func (r *Reader) Header() []string { return r.header }

// Encoding returns the encoding of the text if what was read so far shows that it is not UTF-8, or "".
func (r *Reader) Encoding() string {
	if r.text == nil {
		return ""
	}
	return r.text.Encoding()
}

// Delimiter returns what separates the fields of delimited text, 0 for other rows.
func (r *Reader) Delimiter() byte {
	if r.rows == nil {
		return 0
	}
	return r.rows.delimiter
}

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
	switch {
	case at >= 0:
		return at, nil
	case r.other != nil && r.other.NoColumn != nil:
		return 0, r.other.NoColumn(name)
	}
	return 0, &Error{File: r.file, Line: r.headerLine, Column: name, Problem: NoColumn(r.header)}
}

// Each calls f for every selected row, until f or reading fails. A table without any returns an [Error].
func (r *Reader) Each(f func() error) error {
	count, selected := 0, 0
	take := func() error {
		count++
		if len(r.row) != len(r.header) {
			return &Error{File: r.file, Line: r.line, Problem: Ragged(len(r.row), len(r.header))}
		}
		if r.keep != nil && !r.keep() {
			return nil
		}
		selected++
		return f()
	}
	err := r.EachRow(take)
	switch {
	case err != nil:
		return err
	case count == 0:
		return &Error{File: r.file, Problem: NoRows()}
	case selected == 0:
		return &Error{File: r.file, Problem: r.none}
	}
	return nil
}

// EachRow calls take for every row, also those with more or fewer fields than the header, until take or reading fails.
func (r *Reader) EachRow(take func() error) error {
	if r.other != nil {
		return r.other.Each(func(row []string, line int) error {
			r.row, r.line = row, line
			return take()
		})
	}
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(); err != nil {
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
	file, line, name := r.Place(column)
	return &Error{File: file, Line: line, Column: name, Problem: problem}
}

// Place returns the file, the line and the column that a field of the current row comes from.
func (r *Reader) Place(column int) (file string, line int, name string) {
	switch {
	case r.other != nil && r.other.Place != nil:
		return r.other.Place(column)
	case r.rows != nil:
		return r.file, r.rows.fieldLine(column), r.header[column]
	}
	return r.file, r.line, r.header[column]
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
