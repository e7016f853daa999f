package encode

import (
	"strconv"
	"strings"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// maxWideCells is how many numbers a catalogue holds in 64 bits, which is faster. It holds more in 32.
const maxWideCells = 1 << 22

// NewCatalogue returns the catalogue of arms with their features, arm by arm.
func NewCatalogue(ids, features []string, cells []float32) (*choice.Catalogue, error) {
	if len(cells) > maxWideCells {
		return choice.NewDense(ids, features, cells)
	}
	wide := make([]float64, len(cells))
	for i, x := range cells {
		wide[i] = float64(x)
	}
	d := len(features)
	rows := make([][]float64, len(ids))
	for i := range rows {
		rows[i] = wide[i*d : (i+1)*d]
	}
	return choice.NewCatalogue(ids, features, rows)
}

// First returns the first n arms, at least two, as they were before the others were added: with
// features in 64 bits where so few had 64 bits, so that sums are rounded as they were. It panics
// where [choice.Catalogue.First] does.
func First(arms *choice.Catalogue, n int) *choice.Catalogue {
	first := arms.First(n)
	if d := arms.Dim(); n*d <= maxWideCells && arms.Len()*d > maxWideCells {
		return widened(first)
	}
	return first
}

// widened returns arms with their features in 64 bits.
func widened(arms *choice.Catalogue) *choice.Catalogue {
	ids, rows := make([]string, arms.Len()), make([][]float64, arms.Len())
	for i := range ids {
		ids[i], rows[i] = arms.ID(i), arms.Arm(i)
	}
	wide, err := choice.NewCatalogue(ids, arms.Features(), rows)
	if err != nil {
		panic("encode: " + err.Error()) // they are arms already
	}
	return wide
}

// armIDs returns the ids of the arms of a table: their numbers, after those of other arms, if it has no
// column of ids.
func armIDs(t *catalogue.Table, others int, problems *catalogue.Problems) []string {
	column := t.First(catalogue.ID)
	if column == nil {
		ids := make([]string, t.Len())
		for row := range ids {
			ids[row] = strconv.Itoa(others + row + 1)
		}
		return ids
	}
	for row, id := range column.Texts {
		if id == "" {
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("no-id", "the arm has no id"))
		} else if strings.ContainsAny(id, "\r\n") {
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("id-lines", "the id %q has a line break", id))
		}
	}
	if choice.Repeats(column.Texts) {
		problems.Add(t.Source, 0, column.Name, table.Problemf("same-ids", "two arms have the same id"))
	}
	return column.Texts
}
