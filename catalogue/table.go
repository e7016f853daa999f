package catalogue

import (
	"fmt"
	"strings"
)

// A Table is arms as a file has them, one a row, column by column.
type Table struct {
	Source  string // what to call the file
	Columns []Column

	// Lines are those of the rows, where the file has lines: in other files rows count from 1.
	Lines []int32
}

// A Column is what a file says of every arm under one name: numbers, or texts, or for an
// [Embedding] vectors.
type Column struct {
	Name    string
	Kind    Kind
	Numbers []float64 // of a Number: see [Column.Text] for how the file writes them
	Texts   []string  // of every other kind but an Embedding; those of a Boolean as people write them

	// Vectors are those of an Embedding, one after the other, each of Width numbers.
	Vectors []float32
	Width   int

	writing writing // of a Number
}

// Text returns what the file has in a row of a column that is no [Embedding].
func (c *Column) Text(row int) string {
	if c.Numbers != nil {
		return c.writing.text(row, c.Numbers[row])
	}
	return c.Texts[row]
}

// A Kind says what a column is for.
type Kind int

const (
	// Unknown is a column whose kind is still to be recognised.
	Unknown Kind = iota

	// ID names the arms.
	ID

	// Label is what respondents see, and so are Description and Image.
	Label
	// Description says more about an arm.
	Description
	// Image is the path or the address of a picture.
	Image

	// Number is a feature that is measured.
	Number

	// Category is a feature with levels.
	Category
	// Boolean is a feature that is true or false.
	Boolean

	// Embedding is a vector of features that mean nothing one by one.
	Embedding

	// Ignored is a column that is neither shown nor a feature.
	Ignored
)

// kinds are what users call them.
func kinds() []string {
	return []string{"unknown", "id", "label", "description", "image", "number", "category", "boolean", "embedding", "ignored"}
}

// String returns the kind in a word.
func (k Kind) String() string { return kinds()[k] }

// ParseKind returns the kind with the given word.
func ParseKind(word string) (Kind, error) {
	for k, name := range kinds() {
		if name == word && Kind(k) != Unknown {
			return Kind(k), nil
		}
	}
	return Unknown, fmt.Errorf("%q is no kind of column; there are %s", word, strings.Join(kinds()[1:], ", "))
}

// Feature reports whether columns of this kind say something about utility.
func (k Kind) Feature() bool {
	return k == Number || k == Category || k == Boolean || k == Embedding
}

// Len returns the number of arms.
func (t *Table) Len() int {
	if len(t.Columns) == 0 {
		return 0
	}
	c := &t.Columns[0]
	return max(len(c.Numbers), len(c.Texts), len(c.Vectors)/max(c.Width, 1))
}

// Line returns where in the file a row is.
func (t *Table) Line(row int) int {
	if t.Lines != nil {
		return int(t.Lines[row])
	}
	return row + 1
}

// Column returns the column with the given name, or nil.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// First returns the first column of a kind, or nil.
func (t *Table) First(kind Kind) *Column {
	for i := range t.Columns {
		if t.Columns[i].Kind == kind {
			return &t.Columns[i]
		}
	}
	return nil
}
