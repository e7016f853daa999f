package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxRowBytes is the maximum length of a row if the limits of a file set none.
const maxRowBytes = 64 << 20

// textRows reads delimited text row by row. It accepts the grammar of encoding/csv, and skips rows without
// values, which spreadsheets write. Not safe for concurrent use.
type textRows struct {
	file      string
	source    *bufio.Reader
	delimiter byte
	text      []byte // of the current row
	at        int    // where in it the next field starts
	next      int    // the line of that place
	err       *Error

	line   int      // on which the row starts
	plain  []byte   // its text, if it has no quotes
	quoted [][]byte // its fields, if it has quotes
	lines  []int    // on which these fields start
}

// nextRow moves to the next row, [io.EOF] after the last. It skips rows without values.
func (r *textRows) nextRow() error {
	for {
		quoted, err := r.load()
		if err != nil {
			return err
		}
		switch more := r.split(quoted); {
		case r.err != nil:
			return r.err
		case more && !r.blank():
			return nil
		}
	}
}

// load reads the text of the next row, and reports whether it has quotes. Where reading fails, it returns an [Error].
//
// Outside of quotes the number of quotes so far is even, inside it is odd, since a quote within quotes is written twice. So a
// line feed ends a row if it is after an even number of quotes. Text with quotes elsewhere is malformed, wherever it is cut.
func (r *textRows) load() (quoted bool, err error) {
	r.text, r.at = r.text[:0], 0
	for quotes := 0; ; {
		part, err := r.source.ReadSlice('\n')
		r.text = append(r.text, part...)
		quotes += bytes.Count(part, []byte{'"'})
		exceeded, isExceeded := errors.AsType[*Error](err)
		switch {
		case err == nil && quotes%2 == 0, errors.Is(err, io.EOF) && len(r.text) > 0:
			return quotes > 0, nil
		case errors.Is(err, io.EOF):
			return false, io.EOF
		case isExceeded:
			return false, exceeded
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return false, ReadError(r.file, err)
		case len(r.text) > maxRowBytes && bytes.IndexByte(r.text, '\n') >= 0: // the quote has swallowed the following rows
			return false, &Error{File: r.file, Line: r.next, Problem: quoteNotClosed()}
		case len(r.text) > maxRowBytes:
			return false, &Error{File: r.file, Line: r.next, Problem: Limits{RowBytes: maxRowBytes}.RowProblem(len(r.text))}
		}
	}
}

// blank reports whether all fields of the current row are empty.
func (r *textRows) blank() bool {
	if len(r.quoted) > 0 {
		return !slices.ContainsFunc(r.quoted, func(field []byte) bool { return len(bytes.TrimSpace(field)) > 0 })
	}
	for i, c := range r.plain {
		if c != r.delimiter && c != ' ' && c != '\t' && c != '\r' {
			return len(bytes.TrimSpace(r.plain[i:])) == 0
		}
	}
	return true
}

// split finds the fields of the row. It reports false for an empty line.
func (r *textRows) split(quoted bool) bool {
	if n := r.lineEnd(0); n > 0 {
		r.next++
		return false
	}
	r.line = r.next
	r.quoted, r.lines = r.quoted[:0], r.lines[:0]
	if line, ended := bytes.CutSuffix(r.text, []byte{'\n'}); ended && !quoted {
		r.plain = trimReturn(line)
		r.next++
		return true
	}
	for more := true; more; {
		var field []byte
		r.lines = append(r.lines, r.next)
		if r.at < len(r.text) && r.text[r.at] == '"' {
			field, more = r.splitQuoted()
		} else {
			field, more = r.splitPlain()
		}
		r.quoted = append(r.quoted, field)
	}
	return r.err == nil
}

// trimReturn returns a line without the carriage return that belongs to its end.
func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// appendFields appends all fields of the row to row. A row without quotes takes one allocation.
func (r *textRows) appendFields(row []string) []string {
	if len(r.quoted) > 0 {
		for _, field := range r.quoted {
			row = append(row, string(field))
		}
		return row
	}
	rest := string(r.plain)
	for end := strings.IndexByte(rest, r.delimiter); end >= 0; end = strings.IndexByte(rest, r.delimiter) {
		row = append(row, rest[:end])
		rest = rest[end+1:]
	}
	return append(row, rest)
}

// fieldLine returns the line on which a field of the row starts.
func (r *textRows) fieldLine(field int) int {
	if len(r.quoted) > 0 {
		return r.lines[field]
	}
	return r.line
}

// lineEnd returns the length of the line end at a place, 0 if there is none. The text may end in a carriage return.
func (r *textRows) lineEnd(at int) int {
	switch rest := r.text[at:]; {
	case len(rest) > 0 && rest[0] == '\n', len(rest) == 1 && rest[0] == '\r':
		return 1
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		return 2
	default:
		return 0
	}
}

// splitPlain returns the unquoted field at the current place, and whether the row goes on.
func (r *textRows) splitPlain() (field []byte, more bool) {
	text := r.text[r.at:]
	for i, c := range text {
		switch c {
		case r.delimiter:
			r.at += i + 1
			return text[:i], true
		case '\n':
			r.at += i + 1
			r.next++
			return trimReturn(text[:i]), false
		case '"':
			start := bytes.LastIndexByte(r.text[:r.at+i], '\n') + 1
			r.err = &Error{
				File: r.file, Line: r.next,
				Problem: Problemf("quote-inside", "a quote stands in the middle of a field (character %d); "+
					"leave it out, or put the field in quotes and write the quote twice", r.at+i-start+1),
			}
			return nil, false
		}
	}
	r.at = len(r.text)
	return trimReturn(text), false
}

// splitQuoted returns the quoted field at the current place, and whether the row goes on.
func (r *textRows) splitQuoted() (field []byte, more bool) {
	text := r.text[r.at+1:]
	end, escaped := 0, false
	for {
		quote := bytes.IndexByte(text[end:], '"')
		if quote < 0 {
			r.err = &Error{File: r.file, Line: r.line, Problem: quoteNotClosed()}
			return nil, false
		}
		end += quote
		if end+1 == len(text) || text[end+1] != '"' {
			break
		}
		end += 2
		escaped = true
	}
	field = text[:end]
	r.next += bytes.Count(field, []byte{'\n'})
	if escaped || bytes.IndexByte(field, '\r') >= 0 {
		field = bytes.ReplaceAll(bytes.ReplaceAll(field, []byte(`""`), []byte(`"`)), []byte("\r\n"), []byte("\n"))
	}
	r.at += 1 + end + 1
	if r.at == len(r.text) {
		return field, false
	}
	if r.text[r.at] == r.delimiter {
		r.at++
		return field, true
	}
	n := r.lineEnd(r.at)
	if n == 0 {
		r.err = &Error{File: r.file, Line: r.line, Problem: quoteNotClosed()}
		return nil, false
	}
	r.at += n
	r.next++
	return field, false
}
