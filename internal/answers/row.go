// Package answers writes answers as delimited text, JSON Lines or Parquet, and reads delimited text
// and JSON Lines. The owner of a study exports its answers and imports answers that were recorded
// elsewhere. Both stream rows: memory does not grow with their number.
//
// A file has a row for each outcome of a question. What it may have:
//
//	shown       ids of the arms, in the order on the screen; required
//	picks       ids of those picked, best first; required
//	respondent  who answered
//	segment     the group that the respondent is of
//	asked, at   when the question was asked and answered, in RFC 3339
//	number, kind, question, plan
//	            of a study; written, but ignored by a [Reader], which leaves rows out whose kind
//	            is neither answered nor imported
//
// In delimited text shown and picks are columns shown_1, shown_2, … and pick_1, …, elsewhere
// they are lists.
//
// # Formulas
//
// Respondents choose their names, and a spreadsheet takes a cell for a formula that starts with
// =, +, - or @. In delimited text such a text is written with an apostrophe in front, and so is
// one that starts with apostrophes and then one of these. A [Reader] takes one apostrophe away
// again, so that every id comes back as it was. Other programs see the apostrophe; JSON Lines and
// Parquet have all texts as they are.
package answers

import "time"

// A Row is an answer, or something else that became of a question.
type Row struct {
	Number     int64  // in the study, from 1 on
	Kind       string // answered, skipped, imported, …
	Question   int64  // its position in the deck
	Plan       int    // the one that the question is of
	Respondent string
	Segment    string
	Asked, At  time.Time // zero where not known
	Shown      []string  // ids of arms, in the order on the screen
	Picks      []string  // ids of arms, best first
}

// The kinds of rows that are answers.
const (
	answered = "answered"
	imported = "imported"
)

// The names of columns. In delimited text those of lists are followed by a number.
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
)

// maxArms is the maximum number of arms of a row.
const maxArms = 1000
