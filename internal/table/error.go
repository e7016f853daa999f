package table

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A Problem says what is wrong with a file. The zero value is no problem. Pages translate a problem by
// its code and parts.
//
//nolint:errname // an [Error] has its place as well
type Problem struct {
	Code  string   // names the message, such as "no-number"; "" where only the command line shows it
	Text  string   // the message in English
	Parts []string // the variable parts of the message, in order

	// As is the kind that avoids the problem if the column is read as it, such as "ignored"; "" if
	// none does. The command line and pages say so in different ways.
	As string

	format string
}

// Problemf returns a problem with a formatted message. The arguments are its parts.
func Problemf(code, format string, parts ...any) Problem {
	p := Problem{Code: code, Text: fmt.Sprintf(format, parts...), format: format}
	for _, part := range parts {
		p.Parts = append(p.Parts, fmt.Sprint(part))
	}
	return p
}

// OrAs returns the problem with the kind that avoids it.
func (p Problem) OrAs(kind string) Problem {
	p.As = kind
	return p
}

// Kind returns what similar problems have in common: the code, or else the message without its parts.
func (p Problem) Kind() string { return cmp.Or(p.Code, p.format) }

// Exists reports whether there is a problem.
func (p Problem) Exists() bool { return p.Text != "" }

// Error returns the message in English, without its place.
func (p Problem) Error() string { return p.Text }

// FirstProblem returns the first that is one, the zero value if none is.
func FirstProblem(problems ...Problem) Problem {
	for _, p := range problems {
		if p.Exists() {
			return p
		}
	}
	return Problem{}
}

// An Error is a problem of a file and its place. Line is 0 and Column is empty where the problem is
// not about one line or column.
type Error struct {
	Problem

	File   string
	Line   int
	Column string
	Cause  error // of a failure to read the file, or [ErrLimit]
	More   int   // similar problems at other places
}

// InFile returns an error with the name of the file, unless it has its place already.
func InFile(file string, err error) error {
	if _, placed := errors.AsType[*Error](err); placed {
		return err
	}
	if problem, is := errors.AsType[Problem](err); is {
		return &Error{File: file, Problem: problem}
	}
	return &Error{File: file, Problem: Problemf("", "%v", err), Cause: err}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Error returns the place, the problem, and the flag of the command line that avoids it.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&text, ":%d", e.Line)
	}
	if e.Column != "" {
		fmt.Fprintf(&text, ": column %q", e.Column)
	}
	text.WriteString(": " + e.Text)
	if e.As != "" {
		text.WriteString(", or " + AsFlag(e.Column, e.As))
	}
	if e.More > 0 {
		text.WriteString(" (and " + Grouped(e.More) + " more)")
	}
	return text.String()
}

// AsFlag returns the flag that reads a column as a kind, quoted for a shell if need be.
func AsFlag(column, kind string) string { return "--as " + Quoted(column+"="+kind) }

// Quoted returns an argument, quoted for a shell if need be.
func Quoted(argument string) string {
	special := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-.=:,/%+@", c)
	}
	if strings.ContainsFunc(argument, special) {
		return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
	}
	return argument
}

// ErrLimit is the cause of the [Error] of a file that exceeds [Limits] while it is read.
var ErrLimit = errors.New("the file exceeds a limit")

// NoRowsCode is the code of the problem of a table without rows.
const NoRowsCode = "no-rows"

// NoText returns the problem of an empty file.
func NoText() Problem { return Problemf("empty", "the file is empty") }

// NoRows returns the problem of a table without rows.
func NoRows() Problem { return Problemf(NoRowsCode, "there are no rows below the header") }

// TwoColumns returns the problem of a name that two columns have.
func TwoColumns() Problem { return Problemf("two-columns", "there are two columns of that name") }

// NotUTF8 returns the problem of text in another encoding.
func NotUTF8() Problem {
	return Problemf("not-utf8", "the text is not UTF-8; save the file as UTF-8")
}

func quoteNotClosed() Problem {
	return Problemf("quote-open", "a quoted field is not closed as it should be")
}

// Ragged returns the problem of a row with more or fewer fields than the header.
func Ragged(fields, header int) Problem {
	return Problemf("ragged", "the row has %d fields, the header has %d", fields, header)
}

// NoColumn returns the problem of a missing column. It lists the first twenty existing columns.
func NoColumn(header []string) Problem {
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
	return Problemf("no-column", "there is no such column; there are %s", strings.Join(names, ", "))
}
