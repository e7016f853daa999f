package catalogue

import (
	"fmt"
	"math"
	"slices"

	"bestpick/internal/table"
)

// MissingLevel is the level of arms without a value in a Category, and names the indicator of arms
// without a value in a Number or a Boolean.
const MissingLevel = "(missing)"

// A MissingPolicy says what to do with arms that have no value in a column.
type MissingPolicy string

const (
	// DropArms removes the arms.
	DropArms MissingPolicy = "drop"
	// MeanOf takes the mean of a Number, or half-way between true and false, and adds an indicator.
	MeanOf MissingPolicy = "mean"
	// OwnLevel makes it a level of a Category.
	OwnLevel MissingPolicy = "level"
)

// ParseMissingPolicy returns the policy with a name.
func ParseMissingPolicy(word string) (MissingPolicy, error) {
	policy := MissingPolicy(word)
	if policy != DropArms && policy != MeanOf && policy != OwnLevel {
		return "", fmt.Errorf("a column's missing values can be handled by drop, mean or level, got %q", word)
	}
	return policy, nil
}

// Suits reports whether a policy applies to a kind of column.
func (p MissingPolicy) Suits(kind Kind) bool {
	switch p {
	case MeanOf:
		return kind == Number || kind == Boolean
	case OwnLevel:
		return kind == Category
	case DropArms:
	}
	return kind == Number || kind == Boolean || kind == Category
}

// IsMissing reports whether a row of a column that is not an [Embedding] has no value.
func (c *Column) IsMissing(row int) bool {
	if c.Numbers != nil {
		return math.IsNaN(c.Numbers[row])
	}
	return table.IsMissing(c.Texts[row])
}

// Missing returns how many rows of a column that is not an [Embedding] have no value, and the first
// of them.
func (c *Column) Missing() (count, first int) {
	if c.Numbers != nil && len(c.writing.forms) == len(c.Numbers) && !c.writing.gaps {
		return 0, 0
	}
	for _, x := range c.Numbers {
		if math.IsNaN(x) {
			count++
		}
	}
	for _, text := range c.Texts {
		if table.IsMissing(text) {
			count++
		}
	}
	if count > 0 {
		for !c.IsMissing(first) {
			first++
		}
	}
	return count, first
}

// Keep removes all rows but some, which are in order.
func (t *Table) Keep(rows []int) {
	for i := range t.Columns {
		t.Columns[i].keep(rows)
	}
	if t.Lines != nil {
		t.Lines = pick(t.Lines, rows, 1)
	}
}

func (c *Column) keep(rows []int) {
	if c.Numbers != nil {
		kept := Column{Name: c.Name, Kind: c.Kind, Format: c.Format}
		for _, row := range rows {
			kept.AddNumber([]byte(c.Text(row)), c.Numbers[row])
		}
		*c = kept
		return
	}
	c.Texts, c.Vectors = pick(c.Texts, rows, 1), pick(c.Vectors, rows, c.Width)
}

// pick returns the values of some rows, each of which has width values.
func pick[T any](values []T, rows []int, width int) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, 0, len(rows)*width)
	for _, row := range rows {
		picked = append(picked, values[row*width:(row+1)*width]...)
	}
	return slices.Clip(picked)
}
