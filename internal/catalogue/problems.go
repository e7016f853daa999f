package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bestpick/internal/table"
)

// maxProblems is how many problems are listed. The others are only counted.
const maxProblems = 20

// Problems are the problems of a file, one line each.
//
//nolint:errname // it is many errors
type Problems struct {
	List []error // the first of them
	More int     // how many others there are
}

// Error returns a line for each problem.
func (p *Problems) Error() string {
	var text strings.Builder
	for i, problem := range p.List {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(problem.Error())
	}
	if p.More > 0 {
		fmt.Fprintf(&text, "\nand %d more", p.More)
	}
	return text.String()
}

// Unwrap returns the listed problems.
func (p *Problems) Unwrap() []error { return p.List }

// Add adds a problem at a place in a file.
func (p *Problems) Add(file string, line int, column, format string, arguments ...any) {
	if len(p.List) == maxProblems {
		p.More++
		return
	}
	p.List = append(p.List, &table.Error{File: file, Line: line, Column: column, Problem: fmt.Sprintf(format, arguments...)})
}

// AddError adds an error, or all problems of it.
func (p *Problems) AddError(err error) {
	if others, several := errors.AsType[*Problems](err); several {
		p.AddAll(others)
		return
	}
	if len(p.List) == maxProblems {
		p.More++
		return
	}
	p.List = append(p.List, err)
}

// AddAll adds the problems of a part of the file.
func (p *Problems) AddAll(part *Problems) {
	for _, problem := range part.List {
		p.AddError(problem)
	}
	p.More += part.More
}

// Sort sorts the problems by line.
func (p *Problems) Sort() {
	line := func(err error) int {
		if at, placed := errors.AsType[*table.Error](err); placed {
			return at.Line
		}
		return 0
	}
	slices.SortStableFunc(p.List, func(a, b error) int { return cmp.Compare(line(a), line(b)) })
}

// Err returns the problems as an error, nil if there are none.
func (p *Problems) Err() error {
	if len(p.List) == 0 {
		return nil
	}
	return p
}
