// Package catalogue defines tables of arms: columns of numbers, texts and vectors, their kinds, and the
// problems of the files that they come from.
//
// Package read reads files of several formats into a [Table] and recognises the columns. Package
// encode turns the columns into the features of a choice.Catalogue, and arms that are added later
// alike. Package product does the same for attributes and levels, whose combinations are the arms.
// Package archive saves and loads all that a study needs of its arms.
package catalogue

import (
	"math"
	"slices"
	"strings"
)

// A Table is arms as a file has them, one a row, column by column.
type Table struct {
	Source  string // what to call the file
	Columns []Column

	// Encoding is that of the text of the file, such as "Windows-1252"; "" for UTF-8.
	Encoding string

	// Lines are those of the rows, where the file has lines: in other files rows count from 1.
	Lines []int32

	// List says that the file is a list of one column, and Headed that its first line names the column.
	List, Headed bool

	// Notes say how the columns were recognised where that may surprise.
	Notes []Note
}

// A Column is what a file says of every arm under one name: numbers, or texts, or for an
// [Embedding] vectors.
type Column struct {
	Name    string
	Kind    Kind
	Numbers []float64 // of a Number, NaN where it is missing: see [Column.Text] for how the file writes them
	Texts   []string  // of every other kind but an Embedding; those of a Boolean as people write them

	// Vectors are those of an Embedding, one after the other, each of Width numbers.
	Vectors []float32
	Width   int

	// Format is how a Number is written, nil for plain decimals; of a Category of months, how the file
	// writes the dates.
	Format *NumberFormat

	writing writing // of a Number
}

// AddNumber appends a number that is written as text.
func (c *Column) AddNumber(text []byte, x float64) {
	c.writing.add(text, x)
	c.Numbers = append(c.Numbers, x)
}

// AddMissing appends a number that is missing.
func (c *Column) AddMissing() {
	c.AddDecimal(math.NaN(), 0)
}

// AddDecimal appends a number that is written with this many decimals, and nothing else.
func (c *Column) AddDecimal(x float64, decimals int) {
	if len(c.Numbers) == cap(c.Numbers) {
		c.Numbers, c.writing.forms = withRoom(c.Numbers), withRoom(c.writing.forms)
	}
	c.writing.forms = append(c.writing.forms, uint8(decimals))
	c.Numbers = append(c.Numbers, x)
}

// withRoom returns a column of values with twice the room: append adds a quarter to long ones, and clears what it adds.
func withRoom[T any](values []T) []T {
	const least = 64
	return append(make([]T, 0, max(least, 2*len(values))), values...)
}

// AddSingle appends a number of 32 bits that is written as short as possible.
func (c *Column) AddSingle(x float64) {
	c.writing.forms = append(c.writing.forms, singleForm)
	c.Numbers = append(c.Numbers, x)
}

// AddText appends a value as the file has it. A text that is not a number becomes NaN among
// numbers. Other texts are taken from known if it has them, and added to it otherwise, so that equal
// texts share memory.
func (c *Column) AddText(text string, known map[string]string) {
	if c.Kind != Number {
		same, met := known[text]
		if !met {
			same = strings.Clone(text)
			known[same] = same
		}
		c.Texts = append(c.Texts, same)
		return
	}
	x, ok := c.Format.Parse(text)
	if !ok {
		x = math.NaN()
	}
	if c.writing.forms == nil {
		c.writing.forms = slices.Repeat([]uint8{shortForm}, len(c.Numbers))
	}
	c.AddNumber([]byte(text), x)
}

// First returns the first values of a column that is not an [Embedding]. They share its memory, but
// appending to either column does not change the other.
func (c *Column) First(n int) Column {
	first := *c
	if c.Numbers != nil {
		first.Numbers, first.writing = c.Numbers[:n:n], c.writing.first(n)
	} else {
		first.Texts = c.Texts[:n:n]
	}
	return first
}

// HasCodes reports whether the numbers of a column are codes that consist of digits: whole numbers if they are called codes;
// otherwise digits of one length, some with a zero in front, or all with a plus sign, such as dialling codes.
func (c *Column) HasCodes(called bool) bool {
	zeros, signs, digits, values := 0, 0, 0, 0
	for _, o := range c.writing.odd {
		switch {
		case len(o.text) > 1 && o.text[0] == '0' && strings.Trim(o.text, "0123456789") == "":
			zeros, digits = zeros+1, len(o.text)
		case len(o.text) > 1 && o.text[0] == '+':
			signs++
		}
	}
	if !called && zeros == 0 && signs == 0 {
		return false
	}
	whole, even := true, true
	for row, x := range c.Numbers {
		if !math.IsNaN(x) {
			values++
			whole = whole && x == math.Trunc(x)
			even = even && (zeros == 0 || len(c.Text(row)) == digits)
		}
	}
	return values > 0 && whole && (called || zeros > 0 && even || signs == values)
}

// Parsed reports whether all numbers that are not missing are numbers.
func (c *Column) Parsed() bool {
	return !slices.ContainsFunc(c.writing.odd, func(o oddText) bool { return o.text != "" && math.IsNaN(c.Numbers[o.row]) })
}

// AsWritten returns the values of a column that is not an [Embedding] as texts.
func (c *Column) AsWritten() []string {
	if c.Numbers == nil {
		return c.Texts
	}
	texts := make([]string, len(c.Numbers))
	for row := range texts {
		texts[row] = c.Text(row)
	}
	return texts
}

// Len returns the number of rows.
func (c *Column) Len() int {
	return max(len(c.Numbers), len(c.Texts), len(c.Vectors)/max(c.Width, 1))
}

// Vector returns the vector of a row of an [Embedding].
func (c *Column) Vector(row int) []float32 {
	return c.Vectors[row*c.Width : (row+1)*c.Width]
}

// Text returns the value of a row as the file has it. The column must not be an [Embedding].
func (c *Column) Text(row int) string {
	if c.Numbers != nil {
		return c.writing.text(row, c.Numbers[row])
	}
	return c.Texts[row]
}

// Len returns the number of arms.
func (t *Table) Len() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return t.Columns[0].Len()
}

// Names returns the names of the columns.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

// Line returns the place of a row in the file.
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
