package table

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// An Error is a problem of a file and its place. Line is 0 and Column is empty where the problem is
// not about one line or column.
type Error struct {
	File    string
	Line    int
	Column  string
	Problem string
	Cause   error // of a failure to read the file, or [ErrLimit]
	More    int   // similar problems at other places
}

// Text returns the problem without its place.
func (e *Error) Text() string {
	if e.More > 0 {
		return e.Problem + " (and " + Grouped(e.More) + " more)"
	}
	return e.Problem
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
	return where.String() + ": " + e.Text()
}

// ErrLimit is the cause of the [Error] of a file that exceeds [Limits] while it is read.
var ErrLimit = errors.New("the file exceeds a limit")

// Problems of a table as a whole.
const (
	NoText     = "the file is empty"
	NoRows     = "there are no rows below the header"
	TwoColumns = "there are two columns of that name"
)

// Problems with quotes.
const (
	quoteNotClosed = "a quoted field is not closed as it should be"
	quoteInField   = "a quote stands in the middle of a field (character %d)"
)

// Ragged returns the problem of a row with more or fewer fields than the header.
func Ragged(fields, header int) string {
	return fmt.Sprintf("the row has %d fields, the header has %d", fields, header)
}

// NoColumn returns the problem of a missing column. It lists the first twenty existing columns.
func NoColumn(header []string) string {
	const maxNames = 20
	var names []string
	for _, name := range header[:min(len(header), maxNames)] {
		if strings.ContainsFunc(name, unicode.IsControl) {
			name = strconv.Quote(name)
		}
		names = append(names, name)
	}
	if more := len(header) - maxNames; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "there is no such column; there are " + strings.Join(names, ", ")
}
