package encode

import (
	"fmt"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// optionName is what the arms are levels of, if they have no attributes.
const optionName = "option"

// PerOption reports whether the arms have no attributes, so that each has a utility of its own. No
// arms can be added to them.
func (e *Encoding) PerOption() bool { return len(e.Columns) == 1 && e.Columns[0].Options }

// learnOptions returns how arms without attributes become features.
func learnOptions(t *catalogue.Table) (*Coding, error) {
	if n := t.Len(); n > maxFeatures+1 {
		return nil, &table.Error{File: t.Source, Problem: fmt.Sprintf(
			"%s options without attributes are too many (at most %s); add columns that describe them", table.Grouped(n), table.Grouped(maxFeatures+1))}
	}
	return (&Coding{Column: optionName, Kind: catalogue.Category, Options: true, Levels: slices.Clone(optionColumn(t).Texts)}).named(), nil
}

// optionColumn returns the names of the arms of a table as a column: their labels if these differ, or
// else their ids.
func optionColumn(t *catalogue.Table) *catalogue.Column {
	names := armIDs(t, 0, &catalogue.Problems{})
	if labels := t.First(catalogue.Label); labels != nil && !slices.Contains(labels.Texts, "") && !choice.Repeats(labels.Texts) {
		names = labels.Texts
	}
	return &catalogue.Column{Name: optionName, Kind: catalogue.Category, Texts: names}
}
