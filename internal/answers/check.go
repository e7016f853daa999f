package answers

import (
	"strings"
	"unicode/utf8"

	"bestpick/internal/table"
)

// A checker validates rows.
type checker struct {
	places map[string]int // of the arms shown
}

// problem returns the first problem of a row with its column and, in a list, its index.
func (c *checker) problem(row *Row) (column string, i int, problem table.Problem) {
	for _, field := range []struct{ column, text string }{
		{respondentColumn, row.Respondent}, {segmentColumn, row.Segment}, {judgeColumn, row.Judge}, {rationaleColumn, row.Rationale},
	} {
		if problem := notText(field.text); problem.Exists() {
			return field.column, 0, problem
		}
	}
	for name, value := range row.Metadata {
		if problem := notText(name + value); problem.Exists() {
			return metadataColumn, 0, problem
		}
	}
	if i, problem := c.shownProblem(row.Shown); problem.Exists() {
		return shownColumn, i, problem
	}
	if row.Kind != "" && len(row.Picks) > 0 {
		return picksColumn, 0, table.Problemf("no-pick-kind", "%q is picked in an answer of kind %s", row.Picks[0], row.Kind)
	}
	if row.Kind == "" {
		i, problem = c.picksProblem(row.Picks, len(row.Shown))
	}
	return picksColumn, i, problem
}

func (c *checker) shownProblem(shown []string) (i int, problem table.Problem) {
	if c.places == nil {
		c.places = map[string]int{}
	}
	clear(c.places)
	for i, id := range shown {
		if problem := noID(id); problem.Exists() {
			return i, problem
		}
		if _, known := c.places[id]; known {
			return i, table.Problemf("shown-twice", "%q is shown twice", id)
		}
		c.places[id] = i
	}
	if n := len(shown); n < 2 {
		return n, table.Problemf("few-shown", "two arms or more must be shown, not %d", n)
	}
	return 0, table.Problem{}
}

// picksProblem returns the problem of picks among a number of shown arms, if any. It marks picked arms
// with the place -1.
func (c *checker) picksProblem(picks []string, shown int) (i int, problem table.Problem) {
	for i, id := range picks {
		if problem := noID(id); problem.Exists() {
			return i, problem
		}
		place, known := c.places[id]
		if !known {
			return i, table.Problemf("not-shown", "%q is picked, but not shown", id)
		}
		if place < 0 {
			return i, table.Problemf("picked-twice", "%q is picked twice", id)
		}
		c.places[id] = -1
	}
	switch {
	case len(picks) == 0:
		return 0, table.Problemf("no-pick", "nothing is picked")
	case len(picks) >= shown:
		return shown - 1, table.Problemf("all-picked", "all %d arms are picked; the last is no choice", shown)
	}
	return 0, table.Problem{}
}

// noID returns the problem of a text that cannot be an id, if any.
func noID(text string) table.Problem {
	if text == "" {
		return table.NoValue(text)
	}
	return notText(text)
}

// notText returns the problem of a text that cannot be stored everywhere, if any.
func notText(text string) table.Problem {
	switch {
	case !utf8.ValidString(text):
		return table.NotUTF8()
	case strings.IndexByte(text, 0) >= 0:
		return table.Problemf("zero-byte", "the text has a zero byte")
	}
	return table.Problem{}
}
