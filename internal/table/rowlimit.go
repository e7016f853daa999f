package table

import (
	"errors"
	"io"
)

// CheckText reads delimited text, compressed or not, and returns an [Error] where it exceeds the
// limits. It holds a few kilobytes: a file is checked before memory is spent on it. Other problems
// are left to the reader of the file.
func CheckText(source io.Reader, file string, limits Limits) error {
	text, delimiter, err := openText(source, file)
	if err != nil {
		return nil //nolint:nilerr // as said above
	}
	_, err = io.Copy(io.Discard, limitRows(text, file, delimiter, limits))
	if exceeded, is := errors.AsType[*Error](err); is {
		return exceeded
	}
	return nil
}

// limitRows passes delimited text on, up to the row that exceeds the limits, which returns an [Error]
// with the cause [ErrLimit]. file is the file name in errors.
func limitRows(text io.Reader, file string, delimiter byte, limits Limits) io.Reader {
	return &rowLimit{source: text, file: file, delimiter: delimiter, limits: limits, line: 1, start: 1, fields: 1}
}

// A rowLimit is a reader that counts the rows of delimited text.
type rowLimit struct {
	source    io.Reader
	file      string
	delimiter byte
	limits    Limits
	line      int   // current line
	bytes     int64 // read
	rows      int   // begun, with the header
	values    int   // in complete rows

	// The current row.
	start  int // its line
	length int
	fields int
	quoted bool // inside quotes
	filled bool // more than delimiters and space
}

// Read returns an [Error] at the first row that exceeds the limits, after all rows before it.
func (l *rowLimit) Read(p []byte) (int, error) {
	n, err := l.source.Read(p)
	l.bytes += int64(n)
	if problem := l.limits.BytesProblem(l.bytes); problem.Exists() {
		return 0, &Error{File: l.file, Problem: problem, Cause: ErrLimit}
	}
	whole := 0 // how much of p belongs to rows that have ended
	var problem Problem
	for i, c := range p[:n] {
		l.length++
		switch {
		case c == '\n':
			l.line++
			if !l.quoted {
				problem = l.endRow()
				whole = i + 1
			}
		case c == l.delimiter && !l.quoted:
			l.fields++
			problem = l.limits.ColumnsProblem(l.fields)
		case !l.filled && c != ' ' && c != '\t' && c != '\r':
			l.filled = true
			l.rows++
			problem = l.limits.RowsProblem(int64(l.rows - 1))
		}
		if c == '"' {
			l.quoted = !l.quoted
		}
		if l.length > l.limits.RowBytes && !problem.Exists() {
			problem = l.tooLong()
		}
		if problem.Exists() {
			return whole, &Error{File: l.file, Line: l.start, Problem: problem, Cause: ErrLimit}
		}
	}
	return n, err
}

// tooLong returns the problem of the current row if it exceeds the limit. If the row has several
// lines, an unclosed quote has swallowed the following rows.
func (l *rowLimit) tooLong() Problem {
	problem := l.limits.RowProblem(l.length)
	if problem.Exists() && l.quoted && l.line > l.start {
		return quoteNotClosed()
	}
	return problem
}

// endRow starts the next row. It returns a problem if there are too many values.
func (l *rowLimit) endRow() Problem {
	if l.filled {
		l.values += l.fields
	}
	if problem := l.limits.ValuesProblem(l.values, 1); problem.Exists() {
		return problem
	}
	l.start, l.length, l.fields, l.filled = l.line, 0, 1, false
	return Problem{}
}
