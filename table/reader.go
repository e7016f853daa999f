// Package table reads delimited text, row by row or in blocks of rows, and knows where in the
// file it is, so that whatever is wrong with a value can be said in one line:
//
//	arms.csv:17: column "price": "abc" is not a number
//
// It takes what spreadsheets and statistics packages write: commas, semicolons or
// tabs as the header has them, quoted fields, a byte-order mark, CRLF line ends, a first line
// sep=;, rows without values, and any of it compressed with gzip. A [Reader] has one row in
// memory at a time, [Blocks] have a few megabytes for each core.
package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Reader goes through the rows of a table below its header.
type Reader struct {
	file   string
	csv    *csv.Reader
	header []string
	row    []string
	line   int // of the row at hand

	headerLine int
}

// An Error says what is wrong in a file and where. Line is 0 where the file as a
// whole is to blame, Column is empty where no column is.
type Error struct {
	File    string
	Line    int
	Column  string
	Problem string
	Cause   error // what reading failed with, if that was it
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

func (e *Error) Error() string {
	var where strings.Builder
	where.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&where, ":%d", e.Line)
	}
	if e.Column != "" {
		fmt.Fprintf(&where, ": column %q", e.Column)
	}
	return where.String() + ": " + e.Problem
}

// NewReader reads the header. file is the name to use in errors. A file that exceeds the limits is an
// [Error] when the reader comes to it.
func NewReader(source io.Reader, file string, limits Limits) (*Reader, error) {
	text, delimiter, err := openText(source, file)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: file}
	r.csv = csv.NewReader(text)
	if limits != (Limits{}) {
		r.csv = csv.NewReader(LimitRows(text, file, delimiter, limits))
	}
	r.csv.Comma = rune(delimiter)
	r.csv.ReuseRecord = true
	header, err := r.csv.Read()
	for err == nil && isBlank(header) {
		r.csv.FieldsPerRecord = 0
		header, err = r.csv.Read()
	}
	if errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Problem: NoText}
	}
	if err != nil {
		return nil, r.readError(err)
	}
	for _, name := range header {
		r.header = append(r.header, strings.Clone(strings.TrimSpace(name)))
	}
	r.headerLine, _ = r.csv.FieldPos(0)
	r.line = r.headerLine
	return r, nil
}

// readError words an error of reading as an [Error] at the place it happened.
func (r *Reader) readError(err error) error {
	if exceeded, is := errors.AsType[*Error](err); is {
		return exceeded
	}
	problem := readError(r.file, err)
	if r.line > 0 {
		problem.Line = r.line + 1
	}
	malformed, isMalformed := errors.AsType[*csv.ParseError](err)
	if !isMalformed {
		return problem
	}
	problem.Line = malformed.Line
	switch {
	case errors.Is(malformed.Err, csv.ErrFieldCount):
		problem.Problem = Ragged(len(r.row), len(r.header))
	case errors.Is(malformed.Err, csv.ErrQuote):
		problem.Line = malformed.StartLine
		problem.Problem = quoteNotClosed
	case errors.Is(malformed.Err, csv.ErrBareQuote):
		problem.Problem = fmt.Sprintf(quoteInField, malformed.Column)
	}
	return problem
}

// What is wrong with a table as a whole.
const (
	NoText     = "the file is empty"
	NoRows     = "there are no rows below the header"
	TwoColumns = "there are two columns of that name"
)

// What is wrong with quotes.
const (
	quoteNotClosed = "a quoted field is not closed as it should be"
	quoteInField   = "a quote stands in the middle of a field (character %d)"
)

// Ragged says that a row has more or fewer fields than the header.
func Ragged(fields, header int) string {
	return fmt.Sprintf("the row has %d fields, the header has %d", fields, header)
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
			return 0, &Error{File: r.file, Line: r.headerLine, Column: name, Problem: TwoColumns}
		}
		at = i
	}
	if at < 0 {
		return 0, &Error{File: r.file, Line: r.headerLine, Column: name, Problem: NoColumn(r.header)}
	}
	return at, nil
}

// NoColumn says which columns there are where one was looked for in vain; the first twenty
// if there are more.
func NoColumn(header []string) string {
	const most = 20
	var names []string
	for _, name := range header[:min(len(header), most)] {
		if strings.ContainsFunc(name, unicode.IsControl) {
			name = strconv.Quote(name)
		}
		names = append(names, name)
	}
	if more := len(header) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "there is no such column; there are " + strings.Join(names, ", ")
}

// Each calls f for every row, until f or the reading fails. A table without rows
// is an error.
func (r *Reader) Each(f func() error) error {
	for count := 0; ; {
		row, err := r.csv.Read()
		if isBlank(row) && (err == nil || errors.Is(err, csv.ErrFieldCount)) {
			continue
		}
		r.row = row
		if errors.Is(err, io.EOF) {
			if count == 0 {
				return &Error{File: r.file, Problem: NoRows}
			}
			return nil
		}
		if err != nil {
			return r.readError(err)
		}
		r.line, _ = r.csv.FieldPos(0)
		count++
		if err := f(); err != nil {
			return err
		}
	}
}

// isBlank reports whether all fields of a row are empty.
func isBlank(row []string) bool {
	return !slices.ContainsFunc(row, func(field string) bool { return strings.TrimSpace(field) != "" })
}

// Line returns the line on which the row at hand starts.
func (r *Reader) Line() int { return r.line }

// Text returns a field of the row at hand, without space around it. It is only
// good until the next row.
func (r *Reader) Text(column int) string {
	return strings.TrimSpace(r.row[column])
}

// Number returns a field of the row at hand as a finite number.
func (r *Reader) Number(column int) (float64, error) {
	text := r.Text(column)
	if x, ok := ParseNumber(text); ok {
		return x, nil
	}
	return 0, r.Errorf(column, "%s", NoNumber(text))
}

// LooksNumeric reports whether a field is meant to be a number: see [LooksNumeric].
func (r *Reader) LooksNumeric(column int) bool {
	return LooksNumeric(r.Text(column))
}

// Missing returns the error for a field without a value.
func (r *Reader) Missing(column int) error {
	return r.Errorf(column, "%s", NoValue(r.Text(column)))
}

// Errorf returns an [Error] about a column of the row at hand.
func (r *Reader) Errorf(column int, format string, arguments ...any) error {
	line, _ := r.csv.FieldPos(column)
	return r.ErrorAt(line, r.header[column], format, arguments...)
}

// ErrorAt returns an [Error] about any place in the file.
func (r *Reader) ErrorAt(line int, column, format string, arguments ...any) error {
	return &Error{File: r.file, Line: line, Column: column, Problem: fmt.Sprintf(format, arguments...)}
}
