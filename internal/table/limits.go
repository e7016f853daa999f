package table

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits bounds what a reader accepts of one file, so that the memory it takes is bounded, too. A
// field that is 0 sets no limit.
type Limits struct {
	Rows     int   // rows below the header, or objects
	Columns  int   // columns, and fields of one row
	RowBytes int   // bytes of one row, or of one object
	Values   int   // values of all columns; a vector counts as many as it has numbers
	Bytes    int64 // bytes of the decompressed file
}

// RowsProblem returns the problem of a file with this many rows, if any, beyond the limits.
func (l Limits) RowsProblem(rows int64) Problem {
	if l.Rows == 0 || rows <= int64(l.Rows) {
		return Problem{}
	}
	return Problemf("many-rows", "the file has more than %s rows", Grouped(l.Rows))
}

// ColumnsProblem returns the problem of a file with this many columns, if any, beyond the limits.
func (l Limits) ColumnsProblem(columns int) Problem {
	if l.Columns == 0 || columns <= l.Columns {
		return Problem{}
	}
	return Problemf("many-columns", "the file has more than %s columns", Grouped(l.Columns))
}

// RowProblem returns the problem of a row of this many bytes, if any, beyond the limits.
func (l Limits) RowProblem(bytes int) Problem {
	if l.RowBytes == 0 || bytes <= l.RowBytes {
		return Problem{}
	}
	return Problemf("long-row", "the row is longer than %s", Size(int64(l.RowBytes)))
}

// ValuesProblem returns the problem of a file with this many rows of this many values each, if any,
// beyond the limits. Neither may be negative.
func (l Limits) ValuesProblem(rows, each int) Problem {
	if l.Values == 0 || each == 0 || rows <= l.Values/each {
		return Problem{}
	}
	return Problemf("many-values", "the file has more than %s values in all", Grouped(l.Values))
}

// BytesProblem returns the problem of a file that decompresses to this many bytes, if any, beyond
// the limits.
func (l Limits) BytesProblem(bytes int64) Problem {
	if l.Bytes == 0 || bytes <= l.Bytes {
		return Problem{}
	}
	return Problemf("large", "the contents of the file are larger than %s", Size(l.Bytes))
}

// The limits of uploads, over the API and on the pages alike, are in docs/operations.md. Each bounds the
// memory that one file can take: a compressed file of a few kilobytes can hold millions of rows, or one
// row of any length. Files on the command line are the user's own and have no such limits.

// MaxUploadBytes is the default size of a request with files, and of each file after decompression.
const MaxUploadBytes = 256 << 20

// maxUploadColumns is the most columns of any
const maxUploadColumns = 10_000

// ArmsLimits returns the limits of a file of arms, of at most this many bytes. Live studies have been
// measured with 100,000 arms. 20 million values are 200,000 arms of 100 columns.
func ArmsLimits(bytes int64) Limits {
	return Limits{Rows: 200_000, Columns: maxUploadColumns, RowBytes: 4 << 20, Values: 20_000_000, Bytes: bytes}
}

// AnswersLimits returns the limits of a file of answers, of at most this many bytes.
func AnswersLimits(bytes int64) Limits {
	return Limits{Rows: 1_000_000, Columns: maxUploadColumns, RowBytes: 1 << 20, Bytes: bytes}
}

// PanelLimits returns the limits of a file of panel members.
func PanelLimits() Limits {
	return Limits{Rows: 10_000, Columns: maxUploadColumns, RowBytes: 1 << 20, Bytes: 16 << 20}
}

// ContextsLimits returns the limits of a file with the texts of arms in contexts. Live studies keep these
// texts in memory.
func ContextsLimits() Limits {
	return Limits{Rows: 100_000, Columns: 100, RowBytes: 256 << 10, Values: 1_000_000, Bytes: 8 << 20}
}

// PriorLimits returns the limits of a file with recorded choices for the prior of a study. A model is fitted
// to them while the owner waits.
func PriorLimits() Limits {
	return Limits{Rows: 100_000, Columns: maxUploadColumns, RowBytes: 1 << 20, Bytes: 32 << 20}
}

// Size formats a number of bytes for people, such as "64 KB".
func Size(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KB", bytes>>10)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}

// Grouped formats a number with thousands separators, such as "200,000".
func Grouped(n int) string {
	digits := strconv.Itoa(n)
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}

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
