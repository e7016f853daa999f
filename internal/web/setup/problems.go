package setup

import (
	"cmp"
	"errors"
	"math"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/statement"
	"bestpick/internal/table"
)

// problemsOf returns the first problems of a file, and how many others there are.
func problemsOf(err error, most int) (first []error, more int) {
	first = []error{err}
	if several, is := errors.AsType[*catalogue.Problems](err); is {
		first, more = several.List, several.More
	}
	if over := len(first) - most; over > 0 {
		return first[:most], more + over
	}
	return first, more
}

// problemLines returns the problems of a file, one per line.
func problemLines(w statement.Words, err error) (lines []string) {
	const most = 20
	first, more := problemsOf(err, most)
	for _, one := range first {
		lines = append(lines, problemText(w, one))
	}
	if more > 0 {
		lines = append(lines, w.Must("problem.more", "more", more))
	}
	return lines
}

// columnProblems returns the problems of a file that are about a column, by its name.
func columnProblems(w statement.Words, err error) map[string]string {
	texts := map[string]string{}
	all, _ := problemsOf(err, math.MaxInt)
	for _, one := range all {
		if placed, is := errors.AsType[*table.Error](one); is && placed.Column != "" && texts[placed.Column] == "" {
			texts[placed.Column] = problemText(w, one)
		}
	}
	return texts
}

// coded returns the message of a problem by its key, or "" if there is none.
func coded(w statement.Words, key string, p table.Problem, pairs ...any) string {
	if !w.Has(key) {
		return ""
	}
	for i, part := range p.Parts {
		pairs = append(pairs, i+1, part)
	}
	return w.Must(key, pairs...)
}

// wrongArms records the problems of arms, one per line, at the field of their file.
func (f *studyForm) wrongArms(w statement.Words, field string, u read.Upload, err error) {
	const most = 5
	add := func(at, text string) { f.Problems[at] = strings.TrimPrefix(f.Problems[at]+"\n"+text, "\n") }
	first, more := problemsOf(err, most)
	for _, one := range first {
		at := field
		if placed, is := errors.AsType[*table.Error](one); is && u.IDs != nil && placed.File == u.IDs.Name && placed.File != u.Name {
			at = idsPart
		}
		add(at, problemText(w, one))
	}
	if more > 0 {
		add(field, w.Must("problem.more", "more", more))
	}
}

// problemText returns a problem of a file for a page: the place, and the message by its code.
func problemText(w statement.Words, err error) string {
	placed, is := errors.AsType[*table.Error](err)
	if !is {
		return err.Error()
	}
	text := cmp.Or(coded(w, "file."+placed.Code, placed.Problem), placed.Text)
	if placed.As != "" {
		text += w.Must("problem.leave-out")
	}
	if placed.More > 0 {
		text += " " + w.Must("problem.similar", "count", w.Count(placed.More))
	}
	switch {
	case placed.Line > 0 && placed.Column != "":
		return w.Must("problem.in-cell", "line", placed.Line, "column", placed.Column, "problem", text)
	case placed.Line > 0:
		return w.Must("problem.in-line", "line", placed.Line, "problem", text)
	case placed.Column != "":
		return w.Must("problem.in-column", "column", placed.Column, "problem", text)
	}
	return text
}
