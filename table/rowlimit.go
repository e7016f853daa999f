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
	_, err = io.Copy(io.Discard, newRowLimit(text, delimiter, limits))
	if exceeded, is := errors.AsType[*limitError](err); is {
		return exceeded.in(file)
	}
	return nil
}

// A rowLimit passes delimited text on, up to the row that exceeds the limits. Without it, a
// csv.Reader would hold a row of any length, such as one with a quote that is not closed.
type rowLimit struct {
	source    io.Reader
	delimiter byte
	limits    Limits
	line      int   // that is read
	bytes     int64 // that were read
	rows      int   // that have begun, the header included
	values    int   // in rows that have ended

	// The row that is read.
	start  int // its line
	length int
	fields int
	quoted bool // inside quotes
	filled bool // more than delimiters and space
}

// A limitError is a row that exceeds the limits.
type limitError struct {
	line    int
	problem string
}

func (e *limitError) Error() string { return e.problem }

func (e *limitError) in(file string) error {
	return &Error{File: file, Line: e.line, Problem: e.problem}
}

func newRowLimit(source io.Reader, delimiter byte, limits Limits) *rowLimit {
	return &rowLimit{source: source, delimiter: delimiter, limits: limits, line: 1, start: 1, fields: 1}
}

// Read returns a [limitError] at the first row that exceeds the limits, after all rows before it.
func (l *rowLimit) Read(p []byte) (int, error) {
	n, err := l.source.Read(p)
	l.bytes += int64(n)
	if problem := l.limits.BytesProblem(l.bytes); problem != "" {
		return 0, &limitError{0, problem}
	}
	whole := 0 // how much of p belongs to rows that have ended
	for i, c := range p[:n] {
		problem := ""
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
		if l.length > l.limits.RowBytes && problem == "" {
			problem = l.tooLong()
		}
		if problem != "" {
			return whole, &limitError{l.start, problem}
		}
	}
	return n, err
}

// tooLong returns the problem of the row that is read if it exceeds the limit. If it goes over
// several lines, a quote that is not closed has swallowed the rows behind it.
func (l *rowLimit) tooLong() string {
	problem := l.limits.RowProblem(l.length)
	if problem != "" && l.quoted && l.line > l.start {
		return quoteNotClosed
	}
	return problem
}

// endRow starts the next row, unless there are too many values, which it returns as a problem.
func (l *rowLimit) endRow() (problem string) {
	if l.filled {
		l.values += l.fields
	}
	if problem := l.limits.ValuesProblem(l.values, 1); problem != "" {
		return problem
	}
	l.start, l.length, l.fields, l.filled = l.line, 0, 1, false
	return ""
}
