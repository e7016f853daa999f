package table

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Rows iterates over the rows of a block, and over the fields of each. It accepts the grammar of
// encoding/csv, and skips rows without values, which spreadsheets write. Not safe for concurrent use.
type Rows struct {
	file      string
	delimiter byte
	text      []byte
	at        int // where the next row starts
	next      int // its line
	err       *Error

	// The current row. A line without quotes is split when its fields are read.
	line   int      // on which it starts
	length int      // in fields
	plain  []byte   // its remaining text, without quotes
	quoted [][]byte // its fields, if it has quotes
	lines  []int    // on which these fields start
	field  int      // index of the next of these fields
}

// Next moves to the next row and reports whether there is one. It skips rows without values.
func (r *Rows) Next() bool {
	for r.split() {
		if !r.blank() {
			return true
		}
	}
	return false
}

// blank reports whether all fields of the current row are empty.
func (r *Rows) blank() bool {
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

// split moves to the next row, which may have no values.
func (r *Rows) split() bool {
	r.skipBlankLines()
	if r.at >= len(r.text) || r.err != nil {
		return false
	}
	r.line = r.next
	r.quoted, r.lines = r.quoted[:0], r.lines[:0]
	r.field = 0
	line := r.text[r.at:]
	end := bytes.IndexByte(line, '\n')
	if end >= 0 && bytes.IndexByte(line[:end], '"') < 0 {
		r.plain = trimReturn(line[:end])
		r.length = bytes.Count(r.plain, []byte{r.delimiter}) + 1
		r.at += end + 1
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
	r.length = len(r.quoted)
	return r.err == nil
}

// trimReturn returns a line without the carriage return that belongs to its end.
func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// Len returns the number of fields of the current row.
func (r *Rows) Len() int { return r.length }

// Line returns the line on which the current row starts.
func (r *Rows) Line() int { return r.line }

// Text returns the next field of the current row, without surrounding space. It is valid as long as
// the block.
func (r *Rows) Text() []byte {
	if len(r.quoted) > 0 {
		r.field++
		return bytes.TrimSpace(r.quoted[r.field-1])
	}
	field := r.plain
	if end := bytes.IndexByte(field, r.delimiter); end >= 0 {
		field, r.plain = field[:end], field[end+1:]
	}
	if n := len(field); n > 0 && isGraphic(field[0]) && isGraphic(field[n-1]) {
		return field
	}
	return bytes.TrimSpace(field)
}

// isGraphic reports whether a byte is a character of ASCII other than a space or a control character.
func isGraphic(c byte) bool { return '!' <= c && c <= '~' }

// appendFields appends all fields of the row to row. A row without quotes takes one allocation.
func (r *Rows) appendFields(row []string) []string {
	if len(r.quoted) > 0 {
		for _, field := range r.quoted {
			row = append(row, string(field))
		}
		return row
	}
	rest, delimiter := string(r.plain), string(rune(r.delimiter))
	for more := true; more; {
		var field string
		field, rest, more = strings.Cut(rest, delimiter)
		row = append(row, field)
	}
	return row
}

// fieldLine returns the line on which a field of the row starts.
func (r *Rows) fieldLine(field int) int {
	if len(r.quoted) > 0 {
		return r.lines[field]
	}
	return r.line
}

// Number returns the next field of the current row as a finite number, if it is one, and its text,
// which is valid as long as the block. If decimals is not negative, formatting the number with it
// gives the text again.
func (r *Rows) Number() (x float64, decimals int, text []byte, ok bool) {
	text = r.Text()
	if x, decimals, ok := PlainDecimal(text); ok {
		return x, decimals, text, true
	}
	x, ok = ParseNumber(text)
	return x, -1, text, ok
}

// Size returns how many bytes the block has.
func (r *Rows) Size() int { return len(r.text) }

// IsUTF8 reports whether the block is valid UTF-8.
func (r *Rows) IsUTF8() bool { return utf8.Valid(r.text) }

// AtMost returns an upper bound on the number of rows, for allocation.
func (r *Rows) AtMost() int {
	return bytes.Count(r.text[r.at:], []byte{'\n'}) + 1
}

// Err returns the problem at which Next stopped, nil at the end of the block.
func (r *Rows) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

func (r *Rows) skipBlankLines() {
	for r.at < len(r.text) {
		n := r.lineEnd(r.at)
		if n == 0 {
			return
		}
		r.at += n
		r.next++
	}
}

// lineEnd returns the length of the line end at a place, 0 if there is none. The text may end in a
// carriage return.
func (r *Rows) lineEnd(at int) int {
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
func (r *Rows) splitPlain() (field []byte, more bool) {
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
				Problem: Problemf("quote-inside", "a quote stands in the middle of a field (character %d)", r.at+i-start+1),
			}
			return nil, false
		}
	}
	r.at = len(r.text)
	return trimReturn(text), false
}

// splitQuoted returns the quoted field at the current place, and whether the row goes on.
func (r *Rows) splitQuoted() (field []byte, more bool) {
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
		field = unescaped(field)
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

// unescaped returns the value of a quoted field: two quotes become one, and line ends line feeds.
func unescaped(field []byte) []byte {
	field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	return bytes.ReplaceAll(field, []byte("\r\n"), []byte("\n"))
}
