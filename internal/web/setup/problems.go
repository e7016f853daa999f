package setup

import (
	"errors"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/statement"
	"bestpick/internal/table"
)

// problemsOf returns the problems of a file, one per line.
func problemsOf(w statement.Words, err error) (lines []string) {
	const most = 20
	list := []error{err}
	if several, ok := errors.AsType[*catalogue.Problems](err); ok {
		list = several.List
	}
	for _, one := range list[:min(most, len(list))] {
		lines = append(lines, problemText(w, one))
	}
	if len(list) > most {
		lines = append(lines, "…")
	}
	return lines
}

// maxProblems is the maximum number of problems of a file that a page shows.
const maxProblems = 5

// wrongArms records the problems of arms, one per line, at the field of their file.
func (f *studyForm) wrongArms(w statement.Words, field string, u read.Upload, err error) {
	list, more := []error{err}, 0
	if several, is := errors.AsType[*catalogue.Problems](err); is {
		list, more = several.List, several.More
	}
	more += max(0, len(list)-maxProblems)
	for _, one := range list[:min(maxProblems, len(list))] {
		at := field
		if placed, is := errors.AsType[*table.Error](one); is && u.IDs != nil && placed.File == u.IDs.Name && placed.File != u.Name {
			at = idsPart
		}
		f.Problems[at] = strings.TrimPrefix(f.Problems[at]+"\n"+problemText(w, one), "\n")
	}
	if more > 0 {
		f.Problems[field] = strings.TrimPrefix(f.Problems[field]+"\n"+w.Must("problem.more", "more", more), "\n")
	}
}

// problemText returns a problem of a file for a page: the place, and the message by its code.
func problemText(w statement.Words, err error) string {
	placed, is := errors.AsType[*table.Error](err)
	if !is {
		return err.Error()
	}
	text := placed.Text
	if key := "file." + placed.Code; w.Has(key) {
		var parts []any
		for i, part := range placed.Parts {
			parts = append(parts, i+1, part)
		}
		text = w.Must(key, parts...)
	}
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
