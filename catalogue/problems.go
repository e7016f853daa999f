package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bestpick/table"
)

// mostProblems are listed one by one; of others only the number is told.
const mostProblems = 20

// Problems are all that is wrong with a file, a line each.
//
//nolint:errname // it is many errors
type Problems struct {
	List []error // the first of them
	More int     // how many others there are
}

// Error returns a line for each.
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

// Unwrap returns those listed.
func (p *Problems) Unwrap() []error { return p.List }

// add notes a problem at a place in a file.
func (p *Problems) add(file string, line int, column, format string, arguments ...any) {
	if len(p.List) == mostProblems {
		p.More++
		return
	}
	p.List = append(p.List, &table.Error{File: file, Line: line, Column: column, Problem: fmt.Sprintf(format, arguments...)})
}

// addError notes what something else failed with.
func (p *Problems) addError(err error) {
	if others, several := errors.AsType[*Problems](err); several {
		p.addAll(others)
		return
	}
	if len(p.List) == mostProblems {
		p.More++
		return
	}
	p.List = append(p.List, err)
}

// addAll notes the problems of a part.
func (p *Problems) addAll(part *Problems) {
	for _, problem := range part.List {
		p.addError(problem)
	}
	p.More += part.More
}

// sort puts the problems in the order of lines.
func (p *Problems) sort() {
	line := func(err error) int {
		if at, placed := errors.AsType[*table.Error](err); placed {
			return at.Line
		}
		return 0
	}
	slices.SortStableFunc(p.List, func(a, b error) int { return cmp.Compare(line(a), line(b)) })
}

// orNil returns the problems as an error, nil where there are none.
func (p *Problems) orNil() error {
	if len(p.List) == 0 {
		return nil
	}
	return p
}
