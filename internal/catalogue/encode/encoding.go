// Package encode turns the columns of a table of arms into features. An [Encoding] is learned once,
// from the first arms, leaves out features that follow from others, and encodes arms that are added
// later alike. Encodings are equal to the bit on every machine. The package also expresses estimates
// in the user's columns, as effects and part-worths, and warns of doubtful arms.
package encode

import (
	"fmt"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue"
)

// version is that of the encodings this program makes and reads.
const version = 1

// An Encoding says how the columns of a table become features, and the same for arms that
// come later. It is learned once, from the first arms, and does not change:
//
//   - a Number x becomes (x − Mean)/Scale, with the mean and the standard deviation of the arms;
//   - a Boolean becomes +1 where it is true and −1 where it is false;
//   - a Category with L levels becomes L−1 features: one for each level but the last, +1 for
//     the arms that have the level, −1 for those that have the last, 0 for all others. The sum
//     of a level's effects over the levels is then zero: each is against the average of all;
//   - a Number or a Boolean that some arms have no value for is 0 for them, and has a second feature
//     that is 1 for them and 0 for all others; a Category has the level (missing);
//   - an Embedding becomes its leading principal components, see [Principal];
//   - arms without any of these become a Category whose levels are the arms, see [Encoding.PerOption].
//
// Features that follow from others are left out. What remains is divided by Ball, and rounded
// to 32 bits.
type Encoding struct {
	Version int       `json:"version"`
	Columns []*Coding `json:"columns"` // those that are not the same for all arms

	// IDColumn is the one with the ids of the first arms; empty where they had none.
	IDColumn string `json:"id_column,omitempty"`

	// LabelColumn is the one with the labels of the first arms, unless it is called label.
	LabelColumn string `json:"label_column,omitempty"`

	// ImageColumn is the one with the pictures of the first arms, unless it is called image.
	ImageColumn string `json:"image_column,omitempty"`

	// Ball is the length of the longest of the first arms: all are in the unit ball, as the
	// paper's theorems assume.
	Ball float64 `json:"ball"`

	LeftOut []Dependence `json:"left_out,omitempty"` // what says nothing more than the rest
	Nearly  []Dependence `json:"nearly,omitempty"`   // what says little more: see [Encoding.Warnings]
}

// A Coding is how one column becomes features. Of Mean to Embedding it has what its kind needs.
type Coding struct {
	Column  string         `json:"column"`
	Kind    catalogue.Kind `json:"kind"`
	Mean    float64        `json:"mean,omitempty"`
	Scale   float64        `json:"scale,omitempty"`
	Levels  []string       `json:"levels,omitempty"`  // in order of appearance
	Missing bool           `json:"missing,omitempty"` // of a Number or a Boolean: some of the first arms have no value

	// Options is for arms without attributes: the levels are the arms themselves.
	Options bool `json:"options,omitempty"`

	// Format is how numbers and dates are written, nil for plain decimals.
	Format    *catalogue.NumberFormat `json:"format,omitempty"`
	Embedding *Principal              `json:"embedding,omitempty"`

	Features []Feature `json:"features"`
}

// A Feature is one number of an arm.
type Feature struct {
	Name string `json:"name"` // "price", "brand=acme", "wifi", "e[1]"

	// Instead are the features that make up one that is left out: for all of the first arms
	// it is Offset and their weighted sum.
	Instead []Part  `json:"instead,omitempty"`
	Offset  float64 `json:"offset,omitempty"`
}

// A Part is a feature in a weighted sum.
type Part struct {
	Feature string  `json:"feature"`
	Weight  float64 `json:"weight"`
}

// checkNames refuses columns and levels that cannot be told apart.
func (e *Encoding) checkNames() error {
	seen := map[string]bool{}
	for _, c := range e.Columns {
		names := append(c.names(), c.Column)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if seen[name] {
				return fmt.Errorf("two columns or levels are called %q", name)
			}
			seen[name] = true
		}
	}
	return nil
}

// names returns what the user can speak of: a column, its levels, the axes of an embedding.
func (c *Coding) names() []string {
	var names []string
	switch c.Kind { //nolint:exhaustive // only features are encoded
	case catalogue.Category:
		for _, level := range c.Levels {
			names = append(names, c.Column+"="+level)
		}
	case catalogue.Embedding:
		for k := range c.Embedding.Axes {
			names = append(names, fmt.Sprintf("%s[%d]", c.Column, k+1))
		}
	default:
		names = append(names, c.Column)
		if c.Missing {
			names = append(names, c.Column+"="+catalogue.MissingLevel)
		}
	}
	return names
}

// named gives a new coding its features.
func (c *Coding) named() *Coding {
	names := c.names()
	if c.Kind == catalogue.Category {
		names = names[:len(names)-1]
	}
	for _, name := range names {
		c.Features = append(c.Features, Feature{Name: name})
	}
	return c
}

// kept returns how many features of the column are left.
func (c *Coding) kept() (count int) {
	for _, f := range c.Features {
		if !f.leftOut() {
			count++
		}
	}
	return count
}

// needed reports whether any feature of the column is left.
func (c *Coding) needed() bool { return c.kept() > 0 }

// leftOut reports whether others stand for the feature.
func (f Feature) leftOut() bool { return len(f.Instead) > 0 }

// Features returns the names of the features of an encoded arm.
func (e *Encoding) Features() []string {
	var names []string
	for _, c := range e.Columns {
		for _, f := range c.Features {
			if !f.leftOut() {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// Coding returns the coding of a column, nil if it has none.
func (e *Encoding) Coding(column string) *Coding {
	for _, c := range e.Columns {
		if c.Column == column && !c.Options {
			return c
		}
	}
	return nil
}

// Kinds returns the columns that arms must have to be encoded, and what they must be.
func (e *Encoding) Kinds() map[string]catalogue.Kind {
	kinds := map[string]catalogue.Kind{}
	for _, c := range e.Columns {
		if c.needed() && !c.Options {
			kinds[c.Column] = c.Kind
		}
	}
	return kinds
}

// Formats returns how the numbers and dates of columns are written, where they are not plain decimals.
func (e *Encoding) Formats() map[string]*catalogue.NumberFormat {
	formats := map[string]*catalogue.NumberFormat{}
	for _, c := range e.Columns {
		if c.Format != nil {
			formats[c.Column] = c.Format
		}
	}
	return formats
}

// SameColumns reports whether two encodings are of the same columns and levels, in the same
// order, and leave out the same.
func SameColumns(a, b *Encoding) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(c, other *Coding) bool {
		return c.Column == other.Column && c.Kind == other.Kind && slices.EqualFunc(c.Features, other.Features,
			func(f, g Feature) bool { return f.Name == g.Name && f.leftOut() == g.leftOut() })
	})
}

// A Dependence says why a column, or one level of it, is left out: mostly that it follows from
// other columns.
type Dependence struct {
	Name string   `json:"name"`
	By   []string `json:"by,omitempty"` // nothing where the column is the same for all arms

	// Never is for a level that no profile has, since all with it are forbidden.
	Never bool `json:"never,omitempty"`
}

// String says so in a sentence.
func (d Dependence) String() string {
	if d.Never {
		return d.Name + " is in no allowed profile"
	}
	if len(d.By) == 0 {
		return d.Name + " is the same for all arms"
	}
	return d.Name + " is determined by " + catalogue.Enumerate(d.By, len(d.By))
}

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
