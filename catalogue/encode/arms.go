package encode

import (
	"fmt"
	"strconv"
	"strings"

	"bestpick/catalogue"
	"bestpick/choice"
	"bestpick/table"
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
		panic("catalogue: " + err.Error()) // they are arms already
	}
	return wide
}

// Append returns the catalogue with the arms of a table after its own, encoded alike. The ids must
// be new.
func (e *Encoding) Append(arms *choice.Catalogue, t *catalogue.Table) (*choice.Catalogue, error) {
	var problems catalogue.Problems
	later := armIDs(t, &problems)
	for row, id := range later {
		if _, there := arms.Index(id); there {
			problems.Add(t.Source, t.Line(row), "", "an arm %q is there already", id)
		}
	}
	sources := e.open(t, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	added, err := e.cells(t, sources)
	if err != nil {
		return nil, err
	}
	first := arms.Len()
	ids := make([]string, 0, first+len(later))
	cells := make([]float32, 0, first*arms.Dim()+len(added))
	for i := range first {
		ids = append(ids, arms.ID(i))
		for _, x := range arms.Arm(i) {
			cells = append(cells, float32(x))
		}
	}
	return NewCatalogue(append(ids, later...), arms.Features(), append(cells, added...))
}

// armIDs returns the ids of the arms of a table: their numbers, if it has no column of ids.
func armIDs(t *catalogue.Table, problems *catalogue.Problems) []string {
	column := t.First(catalogue.ID)
	if column == nil {
		ids := make([]string, t.Len())
		for row := range ids {
			ids[row] = strconv.Itoa(row + 1)
		}
		return ids
	}
	for row, id := range column.Texts {
		if id == "" {
			problems.Add(t.Source, t.Line(row), column.Name, "the arm has no id")
		} else if strings.ContainsAny(id, "\r\n") {
			problems.Add(t.Source, t.Line(row), column.Name, "the id %q has a line break", id)
		}
	}
	if choice.Repeats(column.Texts) {
		problems.Add(t.Source, 0, column.Name, "two arms have the same id")
	}
	return column.Texts
}

// CheckSize returns an error if the features of this many arms take more memory than the limits allow.
func (e *Encoding) CheckSize(source string, arms int, limits table.Limits) error {
	const size = 4 // bytes of a feature in memory
	if features := len(e.Features()); limits.Bytes > 0 && int64(arms)*int64(features)*size > limits.Bytes {
		return &table.Error{File: source, Problem: fmt.Sprintf("%s arms of %s features take more than %s in memory", table.Grouped(arms), table.Grouped(features), table.Size(limits.Bytes))}
	}
	return nil
}
