package answers

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bestpick/internal/table"
)

// A checker validates rows.
type checker struct {
	places map[string]int // of the arms shown
}

// problem returns the first problem of a row with its column and, in a list, its index, or "" for a
// valid row.
func (c *checker) problem(row *Row) (column string, i int, problem string) {
	for _, field := range []struct{ column, text string }{
		{respondentColumn, row.Respondent}, {segmentColumn, row.Segment}, {judgeColumn, row.Judge}, {rationaleColumn, row.Rationale},
	} {
		if problem := notText(field.text); problem != "" {
			return field.column, 0, problem
		}
	}
	for name, value := range row.Metadata {
		if problem := notText(name + value); problem != "" {
			return metadataColumn, 0, problem
		}
	}
	if i, problem := c.shownProblem(row.Shown); problem != "" {
		return shownColumn, i, problem
	}
	if row.Kind != "" && len(row.Picks) > 0 {
		return picksColumn, 0, fmt.Sprintf("%q is picked in an answer of kind %s", row.Picks[0], row.Kind)
	}
	if row.Kind == "" {
		i, problem = c.picksProblem(row.Picks, len(row.Shown))
	}
	return picksColumn, i, problem
}

func (c *checker) shownProblem(shown []string) (i int, problem string) {
	if c.places == nil {
		c.places = map[string]int{}
	}
	clear(c.places)
	for i, id := range shown {
		if problem := noID(id); problem != "" {
			return i, problem
		}
		if _, known := c.places[id]; known {
			return i, fmt.Sprintf("%q is shown twice", id)
		}
		c.places[id] = i
	}
	if n := len(shown); n < 2 {
		return n, fmt.Sprintf("two arms or more must be shown, not %d", n)
	}
	return 0, ""
}

// picksProblem returns the problem of picks among a number of shown arms, or "". It marks picked arms
// with the place -1.
func (c *checker) picksProblem(picks []string, shown int) (i int, problem string) {
	for i, id := range picks {
		if problem := noID(id); problem != "" {
			return i, problem
		}
		place, known := c.places[id]
		if !known {
			return i, fmt.Sprintf("%q is picked, but not shown", id)
		}
		if place < 0 {
			return i, fmt.Sprintf("%q is picked twice", id)
		}
		c.places[id] = -1
	}
	switch {
	case len(picks) == 0:
		return 0, "nothing is picked"
	case len(picks) >= shown:
		return shown - 1, fmt.Sprintf("all %d arms are picked; the last is no choice", shown)
	}
	return 0, ""
}

// noID returns the problem of a text that cannot be an id, or "".
func noID(text string) string {
	if text == "" {
		return table.NoValue(text).Text
	}
	return notText(text)
}

// notText returns the problem of a text that cannot be stored everywhere, or "".
func notText(text string) string {
	switch {
	case !utf8.ValidString(text):
		return table.NotUTF8().Text
	case strings.IndexByte(text, 0) >= 0:
		return "the text has a zero byte"
	}
	return ""
}
