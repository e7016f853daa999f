package archive

import (
	"fmt"
	"math"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/table"
)

// Notes says how the file was understood where that may surprise, and what columns that are not used
// would cost in answers. answers estimates how many a study of arms with independent features takes.
// remedies adds the flags of the command line that decide otherwise.
func (e *Encoded) Notes(answers func(features int) float64, remedies bool) []encode.Warning {
	const mostUnused = 4 // columns that have a note each
	if e.Table == nil {
		return nil
	}
	var notes []encode.Warning
	var unused []string
	for _, n := range e.Table.Notes {
		if n.Features > 0 {
			if unused = append(unused, n.Column); len(unused) > mostUnused {
				continue
			}
		}
		notes = append(notes, encode.Warning{Column: n.Column, Text: e.noteText(n, answers, remedies)})
	}
	if more := len(unused) - mostUnused; more > 0 {
		notes = append(notes, encode.Warning{Text: fmt.Sprintf("%d more columns are not used: %s", more,
			catalogue.Enumerate(unused[mostUnused:], mostUnused))})
	}
	return notes
}

// noteText returns a note as a sentence.
func (e *Encoded) noteText(n catalogue.Note, answers func(features int) float64, remedies bool) string {
	var text strings.Builder
	if n.Column != "" {
		text.WriteString(n.Column + ": ")
	}
	text.WriteString(n.Text)
	if n.Features > 0 {
		now, most := e.Arms.Dim(), e.Arms.Len()-1
		fmt.Fprintf(&text, "; with it about %s answers would be needed, not %s", rounded(answers(min(now+n.Features, most))),
			rounded(answers(min(now, most))))
	}
	if remedies && n.Remedy != "" {
		text.WriteString(" (" + n.Remedy + ")")
	}
	return text.String()
}

// rounded returns a number of answers with two digits that matter.
func rounded(answers float64) string {
	const digits = 2
	unit := math.Pow(10, math.Max(0, math.Ceil(math.Log10(math.Max(1, answers)))-digits))
	return table.Grouped(int(math.Round(answers/unit) * unit))
}
