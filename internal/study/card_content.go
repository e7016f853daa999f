package study

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// A CardContent is the owner's choice of what respondents see of an arm. The zero value shows everything. It has no
// effect on the features of arms.
type CardContent struct {
	Columns         map[string]CardColumn `json:"columns,omitempty"` // by the name of the attribute
	HideDescription bool                  `json:"hide_description,omitempty"`
	HidePicture     bool                  `json:"hide_picture,omitempty"`
}

// A CardColumn says how respondents see an attribute.
type CardColumn struct {
	Hidden bool   `json:"hidden,omitempty"`
	Name   string `json:"name,omitempty"` // defaults to the name of the attribute
	Unit   string `json:"unit,omitempty"` // after each value
}

// IsZero reports whether everything is shown as the owner wrote it.
func (c CardContent) IsZero() bool {
	return len(c.Columns) == 0 && !c.HideDescription && !c.HidePicture
}

// check returns an error unless the content is valid.
func (c CardContent) check() error {
	const field = "presentation.cards"
	if len(c.Columns) > MaxColumns {
		return Invalid(field, fmt.Sprintf("at most %d columns are possible, got %d", MaxColumns, len(c.Columns)))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Columns)) {
		column := c.Columns[name]
		for _, text := range []string{name, column.Name} {
			if utf8.RuneCountInString(text) > MaxPrompt || !isStorable(text) {
				return Invalid(field, fmt.Sprintf("column %.20q: a name must be UTF-8 with at most %d characters and no zero bytes",
					name, MaxPrompt))
			}
		}
		if utf8.RuneCountInString(column.Unit) > MaxUnit || !isStorable(column.Unit) {
			return Invalid(field, fmt.Sprintf("column %.20q: a unit must be UTF-8 with at most %d characters and no zero bytes",
				name, MaxUnit))
		}
	}
	return nil
}
