// Package answers writes answers as delimited text, JSON Lines or Parquet, and reads them again, and workbooks: Parquet
// and workbooks only if they are the user's own files. The owner of a study exports its answers and imports answers
// that were recorded elsewhere. Both stream rows: memory does not grow with their number.
//
// A file has a row for each outcome of a question, with these columns:
//
//	shown       ids of the arms, in the order on the screen; required
//	picks       ids of the picked arms, best first; required
//	respondent  name of the respondent
//	segment     group of the respondent
//	asked, at   when the question was asked and answered, in RFC 3339
//	judge       person or model
//	rationale   why the respondent answered so
//	metadata    an object of texts, in delimited text and Parquet as JSON
//	number, kind, question, plan, context
//	            of a study; written, but not read, except that a [Reader] skips rows whose kind
//	            is neither answered nor imported. The kinds none and tie are answers without picks:
//	            none of the arms, and all equally good
//
// Shown and picks are lists; in delimited text, each is several columns: shown_1, shown_2, … and
// pick_1, …. The columns shown_1_label, … and pick_1_label, … have the labels of arms. They are not read.
//
// A [Writer] writes context, judge, rationale and metadata only in a [Layout] with notes.
//
// # Formulas
//
// Respondents choose their names, and spreadsheets execute cells that start with =, +, - or @. In
// delimited text a [Writer] protects such texts with a leading apostrophe, and also texts in which
// these characters follow apostrophes. A [Reader] removes one apostrophe, so that ids survive a round
// trip. Other programs see the apostrophe. JSON Lines and Parquet files contain all texts unchanged.
package answers

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bestpick/internal/table"
)

// A Row is the outcome of a question: an answer, a skip, ….
type Row struct {
	Number     int64  // in the study, from 1 on
	Kind       string // answered, skipped, imported, …
	Question   int64  // its position in the deck
	Plan       int    // of the question
	Respondent string
	Segment    string
	Asked, At  time.Time // zero if unknown
	Shown      []string  // ids of arms, in the order on the screen
	Picks      []string  // ids of arms, best first

	// A [Writer] writes these only in a [Layout] with notes, and a [Reader] ignores the context.
	Context   string
	Judge     string // person or model
	Rationale string
	Metadata  map[string]string

	// Labels has the labels of the arms in Shown, for people. Only delimited text of a [Writer] with labels has them,
	// and a [Reader] ignores them.
	Labels []string
}

// pickedLabels returns the labels of the picked arms.
func (r *Row) pickedLabels() []string {
	var labels []string
	for _, id := range r.Picks {
		label := ""
		if at := slices.Index(r.Shown, id); at >= 0 && at < len(r.Labels) {
			label = r.Labels[at]
		}
		labels = append(labels, label)
	}
	return labels
}

// The kinds of rows that are answers.
const (
	None     = "none"
	Tie      = "tie"
	answered = "answered"
	imported = "imported"
)

// The names of columns. In delimited text, a number follows the names of lists.
const (
	numberColumn     = "number"
	kindColumn       = "kind"
	questionColumn   = "question"
	planColumn       = "plan"
	respondentColumn = "respondent"
	segmentColumn    = "segment"
	askedColumn      = "asked"
	atColumn         = "at"
	shownColumn      = "shown"
	picksColumn      = "picks"
	contextColumn    = "context"
	judgeColumn      = "judge"
	rationaleColumn  = "rationale"
	metadataColumn   = "metadata"
)

// set sets a field that is one text, as files have it, or returns its problem. An empty text is no value.
func (r *Row) set(column, text string) table.Problem {
	switch column {
	case kindColumn:
		r.Kind = text
	case respondentColumn:
		r.Respondent = text
	case segmentColumn:
		r.Segment = text
	case judgeColumn:
		r.Judge = text
	case rationaleColumn:
		r.Rationale = text
	case metadataColumn:
		if text != "" && json.Unmarshal([]byte(text), &r.Metadata) != nil {
			return table.Problemf("metadata", "an object of texts is needed, not %s", table.Excerpt([]byte(text)))
		}
	case askedColumn:
		return setTime(&r.Asked, text)
	case atColumn:
		return setTime(&r.At, text)
	case numberColumn, questionColumn, planColumn, contextColumn:
	default:
		return table.Problemf("answers-column", "answers have no such column; there may be shown, picks, respondent, segment, "+
			"asked, at, judge, rationale and metadata")
	}
	return table.Problem{}
}

// setTime parses a time.
func setTime(field *time.Time, text string) table.Problem {
	if text == "" {
		return table.Problem{}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.DateTime} {
		// of Parquet and pandas
		if t, err := time.Parse(layout, text); err == nil && isWritable(t) {
			*field = t.UTC().Truncate(time.Microsecond) // as files have it
			return table.Problem{}
		}
	}
	return table.Problemf("no-time", "%q is not a time like 2026-01-31T12:00:00Z", text)
}

// maxArms is the maximum number of arms of a row.
const maxArms = 1000

func tooManyArms() table.Problem {
	return table.Problemf("row-arms", "a row has at most %d arms", maxArms)
}

// isWritable reports whether the year of a time has four digits, as RFC 3339 requires.
func isWritable(t time.Time) bool {
	const last = 9999
	year := t.UTC().Year()
	return year >= 1 && year <= last
}

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
