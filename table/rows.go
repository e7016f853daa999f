package table

import (
	"bytes"
	"fmt"
)

// Rows goes through the rows of a block. It splits them into fields as encoding/csv does,
// and refuses what that refuses.
type Rows struct {
	file      string
	delimiter byte
	text      []byte
	at        int // where the next row starts
	next      int // the line on which it does

	line    int // of the row at hand
	fields  [][]byte
	written []byte // the fields of the row at hand that are not as they stand in text
	err     *Error
}

// Next moves on to the next row and reports whether there is one. Blank lines are no rows.
func (r *Rows) Next() bool {
	r.skipBlankLines()
	if r.at >= len(r.text) || r.err != nil {
		return false
	}
	r.line = r.next
	r.fields = r.fields[:0]
	r.written = r.written[:0]
	for more := true; more; {
		var field []byte
		if r.at < len(r.text) && r.text[r.at] == '"' {
			field, more = r.quoted()
		} else {
			field, more = r.plain()
		}
		r.fields = append(r.fields, field)
	}
	return r.err == nil
}

// Fields returns those of the row at hand. They are only good until the next row.
func (r *Rows) Fields() [][]byte { return r.fields }

// Line returns the line on which the row at hand starts.
func (r *Rows) Line() int { return r.line }

// Err returns what is wrong with the row at which Next found no other, nil at the end.
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

// lineEnd returns how long the line end at a place is, 0 where there is none. The end of the
// text may have a carriage return alone.
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

// plain returns the field that starts where the rows are at, one without quotes, and whether
// others follow in the row.
func (r *Rows) plain() (field []byte, more bool) {
	text, delimiter := r.text[r.at:], r.delimiter
	for i, c := range text {
		switch c {
		case delimiter:
			r.at += i + 1
			return text[:i], true
		case '\n':
			r.at += i + 1
			r.next++
			return bytes.TrimSuffix(text[:i], []byte{'\r'}), false
		case '"':
			start := bytes.LastIndexByte(r.text[:r.at+i], '\n') + 1
			r.err = &Error{File: r.file, Line: r.next, Problem: fmt.Sprintf(quoteInField, r.at+i-start+1)}
			return nil, false
		}
	}
	r.at = len(r.text)
	return bytes.TrimSuffix(text, []byte{'\r'}), false
}

// quoted returns the quoted field that starts where the rows are at, and whether others
// follow in the row.
func (r *Rows) quoted() (field []byte, more bool) {
	text := r.text[r.at+1:]
	end, asItStands := 0, true
	for {
		quote := bytes.IndexByte(text[end:], '"')
		if quote < 0 {
			r.err = &Error{File: r.file, Line: r.line, Problem: quoteNotClosed}
			return nil, false
		}
		end += quote
		if end+1 == len(text) || text[end+1] != '"' {
			break
		}
		end += 2
		asItStands = false
	}
	field = text[:end]
	r.next += bytes.Count(field, []byte{'\n'})
	if !asItStands || bytes.IndexByte(field, '\r') >= 0 {
		field = r.write(field)
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
		r.err = &Error{File: r.file, Line: r.line, Problem: quoteNotClosed}
		return nil, false
	}
	r.at += n
	r.next++
	return field, false
}

// write returns what a quoted field means: two quotes are one, and line ends line feeds.
func (r *Rows) write(field []byte) []byte {
	start := len(r.written)
	for i := 0; i < len(field); i++ {
		c := field[i]
		if c == '\r' && i+1 < len(field) && field[i+1] == '\n' {
			continue
		}
		r.written = append(r.written, c)
		if c == '"' {
			i++
		}
	}
	return r.written[start:len(r.written):len(r.written)]
}
