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

// Problems are the problems of a file, one line each. Similar ones of a column are one line, with
// their number.
//
//nolint:errname // it is many errors
type Problems struct {
	List []error // the first of them
	More int     // how many others there are

	alike map[kind]int // where in the list the first of similar problems is
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

// Add adds a problem at a place in a file. Problems of a column with the same code are similar.
func (p *Problems) Add(file string, line int, column string, problem table.Problem) {
	p.addAlike(&table.Error{File: file, Line: line, Column: column, Problem: problem})
}

// kind is what similar problems have in common.
type kind struct{ file, column, problem string }

func (p *Problems) addAlike(problem *table.Error) {
	key := kind{problem.File, problem.Column, problem.Kind()}
	if at, met := p.alike[key]; met {
		if first, is := errors.AsType[*table.Error](p.List[at]); is {
			first.More += 1 + problem.More
		}
		return
	}
	if len(p.List) == maxProblems {
		p.More++
		return
	}
	if p.alike == nil {
		p.alike = map[kind]int{}
	}
	p.alike[key] = len(p.List)
	p.List = append(p.List, problem)
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
		if placed, is := errors.AsType[*table.Error](problem); is {
			p.addAlike(placed)
		} else {
			p.AddError(problem)
		}
	}
	p.More += part.More
}

// Sort sorts the problems by line. No similar ones can be added then.
func (p *Problems) Sort() {
	p.alike = nil
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

// A Note says what was decided about a file where the file left a choice.
type Note struct { //nolint:errname // it is shown, not returned
	table.Problem // what was decided, by its code on pages

	Column string // the one it is about, if it is about one
	Remedy Remedy
	// Features is how many features an excluded column would add.
	Features int
}

// A Remedy is how the user can decide otherwise. The zero value is none.
type Remedy struct {
	Column  string        // which it is for; "" if the user has to say
	As      Kind          // reads the column as another kind
	Missing MissingPolicy // or handles its missing values in another way
}

// String returns the flag of the command line, "" for none.
func (r Remedy) String() string {
	switch column := cmp.Or(r.Column, "COLUMN"); {
	case r.As != Unknown:
		return table.AsFlag(column, r.As.String())
	case r.Missing != "":
		return fmt.Sprintf("--missing %s=%s", column, r.Missing)
	}
	return ""
}

// Enumerate returns "a, b and c", with at most maxNames names.
func Enumerate(names []string, maxNames int) string {
	if len(names) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
