package encode

import (
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue"
)

// optionName is what the arms are levels of, if they have no attributes.
const optionName = "option"

// PerOption reports whether the arms have no attributes, so that each has a utility of its own. No
// arms can be added to them.
func (e *Encoding) PerOption() bool { return len(e.Columns) == 1 && e.Columns[0].Options }

// optionColumn returns the names of the arms of a table as a column: their labels if these differ, or
// else their ids.
func optionColumn(t *catalogue.Table) *catalogue.Column {
	names := armIDs(t, 0, &catalogue.Problems{})
	if labels := t.First(catalogue.Label); labels != nil && !slices.Contains(labels.Texts, "") && !choice.Repeats(labels.Texts) {
		names = labels.Texts
	}
	return &catalogue.Column{Name: optionName, Kind: catalogue.Category, Texts: names}
}
