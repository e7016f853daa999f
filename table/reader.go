// Package table reads delimited text, row by row, and knows where in the file it
// is, so that whatever is wrong with a value can be said in one line:
//
//	arms.csv:17: column "price": "abc" is not a number
//
// It takes what spreadsheets and statistics packages write: commas, semicolons or
// tabs as the header has them, quoted fields, a byte-order mark, CRLF line ends,
// and any of it compressed with gzip. Only one row is in memory at a time.
package table

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// NewReader reads the header. file is the name to use in errors.
func NewReader(source io.Reader, file string) (*Reader, error) {
	r := &Reader{file: file}
	text, err := decompressed(source)
	if err != nil {
		return nil, r.readError(err)
	}
	start, err := text.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, r.readError(err)
	}
	if bytes.Equal(start, []byte{0xff, 0xfe}) || bytes.Equal(start, []byte{0xfe, 0xff}) {
		return nil, &Error{File: file, Problem: "the text is UTF-16; save it as UTF-8"}
	}
	if mark, _ := text.Peek(3); bytes.Equal(mark, []byte{0xef, 0xbb, 0xbf}) {
		if _, err := text.Discard(3); err != nil {
			return nil, r.readError(err)
		}
	}
	if ahead, _ := text.Peek(text.Size()); bytes.IndexByte(ahead, '\n') < 0 && bytes.IndexByte(ahead, '\r') >= 0 {
		return nil, &Error{File: file, Problem: "the lines end in carriage returns alone; save it with line feeds"}
	}
	delimiter, err := delimiterOf(text)
	if err != nil {
		return nil, r.readError(err)
	}
	r.csv = csv.NewReader(text)
	r.csv.Comma = delimiter
	r.csv.ReuseRecord = true
	header, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Problem: "the file is empty"}
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

// decompressed returns the text of source, unpacked where it is gzip.
func decompressed(source io.Reader) (*bufio.Reader, error) {
	const size = 1 << 16
	raw := bufio.NewReaderSize(source, size)
	magic, err := raw.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return raw, nil
	}
	unpacked, err := gzip.NewReader(raw)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(unpacked, size), nil
}

// delimiterOf returns the one of comma, semicolon and tab that the first line has
// most of, outside quotes; a comma where it has none.
func delimiterOf(text *bufio.Reader) (rune, error) {
	start, err := text.Peek(text.Size())
	if err != nil && !errors.Is(err, io.EOF) && len(start) == 0 {
		return 0, err
	}
	var commas, semicolons, tabs int
	quoted := false
	for _, c := range start {
		if c == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if c == '\n' && commas+semicolons+tabs > 0 {
			break
		}
		switch c {
		case ',':
			commas++
		case ';':
			semicolons++
		case '\t':
			tabs++
		}
	}
	switch {
	case semicolons > commas && semicolons >= tabs:
		return ';', nil
	case tabs > commas:
		return '\t', nil
	default:
		return ',', nil
	}
}

// readError words an error of reading as an [Error] at the place it happened.
func (r *Reader) readError(err error) error {
	problem := &Error{File: r.file, Line: r.line, Problem: err.Error(), Cause: err}
	if r.line > 0 {
		problem.Line = r.line + 1
	}
	malformed, isMalformed := errors.AsType[*csv.ParseError](err)
	system, isSystem := errors.AsType[*fs.PathError](err)
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case isMalformed:
		problem.Line = malformed.Line
		switch {
		case errors.Is(malformed.Err, csv.ErrFieldCount):
			problem.Problem = fmt.Sprintf("the row has %d fields, the header has %d", len(r.row), len(r.header))
		case errors.Is(malformed.Err, csv.ErrQuote):
			problem.Line = malformed.StartLine
			problem.Problem = "a quoted field is not closed as it should be"
		case errors.Is(malformed.Err, csv.ErrBareQuote):
			problem.Problem = fmt.Sprintf("a quote stands in the middle of a field (character %d)", malformed.Column)
		}
	case isSystem:
		problem.Problem = system.Err.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem.Problem = "the compressed data end too early"
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), corrupt:
		problem.Problem = "the compressed data are damaged"
	}
	return problem
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
			return 0, &Error{File: r.file, Line: r.headerLine, Column: name, Problem: "there are two columns of that name"}
		}
		at = i
	}
	if at < 0 {
		return 0, &Error{File: r.file, Line: r.headerLine, Column: name, Problem: "there is no such column; there are " + r.columnList()}
	}
	return at, nil
}

// columnList names the columns, the first twenty if there are more.
func (r *Reader) columnList() string {
	const most = 20
	var names []string
	for _, name := range r.header[:min(len(r.header), most)] {
		if strings.ContainsFunc(name, unicode.IsControl) {
			name = strconv.Quote(name)
		}
		names = append(names, name)
	}
	if more := len(r.header) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// Each calls f for every row, until f or the reading fails. A table without rows
// is an error.
func (r *Reader) Each(f func() error) error {
	for count := 0; ; count++ {
		row, err := r.csv.Read()
		r.row = row
		if errors.Is(err, io.EOF) {
			if count == 0 {
				return &Error{File: r.file, Problem: "there are no rows below the header"}
			}
			return nil
		}
		if err != nil {
			return r.readError(err)
		}
		r.line, _ = r.csv.FieldPos(0)
		if err := f(); err != nil {
			return err
		}
	}
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
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && x-x == 0 {
		return x, nil
	}
	switch {
	case IsMissing(text):
		return 0, r.Missing(column)
	case err == nil || errors.Is(err, strconv.ErrRange):
		return 0, r.Errorf(column, "%q is not a finite number", text)
	case strings.Count(text, ",") == 1:
		return 0, r.Errorf(column, "%q is not a number; decimals take a point", text)
	default:
		return 0, r.Errorf(column, "%q is not a number", text)
	}
}

// LooksNumeric reports whether a field is meant to be a number, even one that
// [Reader.Number] refuses: out of range, or with a decimal comma.
func (r *Reader) LooksNumeric(column int) bool {
	_, err := strconv.ParseFloat(strings.Replace(r.Text(column), ",", ".", 1), 64)
	return err == nil || errors.Is(err, strconv.ErrRange) || IsMissing(r.Text(column))
}

// IsMissing reports whether a field says that its value is not known.
func IsMissing(text string) bool {
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null":
		return true
	}
	return false
}

// Missing returns the error for a field without a value.
func (r *Reader) Missing(column int) error {
	if text := r.Text(column); text != "" {
		return r.Errorf(column, "the value is missing (%q)", text)
	}
	return r.Errorf(column, "the value is missing")
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
