package read

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A builder makes a draft of rows of cells. The first cells of a column decide what it holds: texts,
// numbers or vectors. Rows may lack cells, and columns may come late.
type builder struct {
	draft

	options   catalogue.Options
	columns   []*builtColumn
	kinds     []catalogue.Kind // of the columns: see roles
	rows      int
	values    int  // how many there are in all
	protected bool // texts are written with [table.Protect]
	lent      bool // texts are parts of rows
	ended     bool // whatever comes is not read any more
}

func newBuilder(file string, options catalogue.Options) *builder {
	return &builder{draft: draft{Table: catalogue.Table{Source: file}}, options: options}
}

// A builtColumn is a column that is Unknown, a Number or an Embedding once it is settled.
type builtColumn struct {
	catalogue.Column

	written int // rows
	settled bool
	sample  []cell // the values, until it is settled
	sampled int    // the length of their texts
	nested  odd    // lists and objects
}

// A cell is a value of a row: a text without surrounding space, or what another value is written as. An
// exact number has no text.
type cell struct {
	row    int
	form   cellForm
	text   string
	number float64
}

type cellForm int

const (
	missingCell cellForm = iota
	textCell
	numberCell // as written
	exactCell  // a number, NaN if it is missing
	singleCell // an exact number of 32 bits
	truthCell
	listCell   // in JSON
	objectCell // in JSON
)

// addColumn adds a column without values, and returns its index.
func (b *builder) addColumn(name string) int {
	b.columns = append(b.columns, &builtColumn{Column: catalogue.Column{Name: name}})
	return len(b.columns) - 1
}

// add adds a value to a column. The first values wait until there are enough of them to tell what the
// column holds, or until those of all columns take much memory.
func (b *builder) add(column int, value cell) {
	const enoughValues, enoughText, enoughInAll = 1 << 12, 4 << 20, 1 << 20
	c := b.columns[column]
	b.values++
	if c.settled {
		b.write(c, value)
		return
	}
	c.sample = append(c.sample, value)
	c.sampled += len(value.text)
	if len(c.sample) == enoughValues || c.sampled >= enoughText || b.values > enoughInAll {
		b.settleForm(c, b.roles()[column])
	}
}

// roles returns the kinds of the columns so far: see [catalogue.Roles].
func (b *builder) roles() []catalogue.Kind {
	if len(b.kinds) != len(b.columns) {
		names := make([]string, len(b.columns))
		for i, column := range b.columns {
			names[i] = column.Name
		}
		b.kinds = catalogue.Roles(names, b.options.Kinds)
	}
	return b.kinds
}

// settleForm decides what a column holds, given the kind it is to have, and writes the values
// that waited for it.
func (b *builder) settleForm(c *builtColumn, kind catalogue.Kind) {
	c.Kind = c.form(kind)
	c.settled = true
	for _, value := range c.sample {
		b.write(c, value)
	}
	c.sample = nil
}

// form returns how the values of a column are to be held, given the kind it is to have. A
// number in quotes is a number.
func (c *builtColumn) form(kind catalogue.Kind) catalogue.Kind {
	var seen, numbers, lists, vectors int
	for _, value := range c.sample {
		text := value.form == textCell && !table.IsMissing(value.text)
		if text || value.form > textCell {
			seen++
		}
		if value.form == numberCell || text && table.LooksNumeric(value.text) {
			numbers++
		}
		if value.form == listCell || value.form == objectCell {
			lists++
			if isVector(value.text) {
				vectors++
			}
		}
	}
	switch {
	case kind == catalogue.Embedding && lists > 0, mostly(vectors, seen) && kind != catalogue.Ignored:
		return catalogue.Embedding
	case mostly(lists, seen):
		return catalogue.Ignored
	case kind == catalogue.Number, kind == catalogue.Unknown && mostly(numbers, seen):
		return catalogue.Number
	default:
		return catalogue.Unknown
	}
}

// finishColumns makes all columns as long as there are rows.
func (b *builder) finishColumns() {
	for i, kind := range b.roles() {
		c := b.columns[i]
		if !c.settled {
			b.settleForm(c, kind)
		}
		b.pad(c, b.rows)
		b.noteNested(c)
		if c.Kind == catalogue.Embedding {
			c.Width = max(c.Width, 1) // of lists that are all wrong
		}
		b.Columns = append(b.Columns, c.Column)
	}
}

// noteNested notes the lists and objects of a column, which are left out.
func (b *builder) noteNested(c *builtColumn) {
	switch {
	case c.nested.count == 0 || b.options.Kinds[c.Name] == catalogue.Ignored:
	case c.Kind == catalogue.Ignored:
		b.Notes = append(b.Notes, catalogue.Note{Column: c.Name, Problem: table.Problemf("lists", "lists or objects: not used")})
	default:
		b.noteOdd(c.Name, "lists or objects", c.nested, b.rows)
	}
}

// leave counts a value that is a list or an object.
func (c *builtColumn) leave(value cell) {
	if c.nested.count == 0 {
		c.nested.row, c.nested.first = value.row, value.text
	}
	c.nested.count++
}

// write writes a value into its column, behind rows without one.
func (b *builder) write(c *builtColumn, value cell) {
	b.pad(c, value.row)
	b.writeNext(c, value)
}

// addDecimal adds the value of a row if it is a plain decimal and the column holds numbers, as nearly all do in large files.
// It reports whether it did.
func (c *builtColumn) addDecimal(row int, text string) bool {
	if c.Kind != catalogue.Number || c.written != row {
		return false
	}
	x, decimals, plain := table.PlainDecimal(text)
	if plain {
		c.written++
		c.AddDecimal(x, decimals)
	}
	return plain
}

// pad writes that a column has no values up to a row.
func (b *builder) pad(c *builtColumn, row int) {
	for c.written < row && !b.ended {
		b.writeNext(c, cell{row: c.written})
	}
}

func (b *builder) writeNext(c *builtColumn, value cell) {
	c.written++
	switch c.Kind { //nolint:exhaustive // all others are texts for now
	case catalogue.Number:
		b.writeNumber(c, value)
	case catalogue.Embedding:
		b.writeVector(c, value)
	default:
		b.writeText(c, value)
	}
}

func (b *builder) writeNumber(c *builtColumn, value cell) {
	if math.IsInf(value.number, 0) {
		b.problem(value.row, c.Name, table.NoNumber(fmt.Sprint(value.number)))
	}
	switch value.form { //nolint:exhaustive // all others have texts
	case exactCell:
		c.Numbers = append(c.Numbers, value.number)
	case singleCell:
		c.AddSingle(value.number)
	case listCell, objectCell:
		c.leave(value)
		c.AddMissing()
	default:
		if x, decimals, plain := table.PlainDecimal(value.text); plain {
			c.AddDecimal(x, decimals)
		} else if x, ok := table.ParseNumber(value.text); ok {
			c.AddNumber([]byte(value.text), x)
		} else {
			b.checkUTF8(c, value)
			addNoNumber(&c.Column, value.text)
		}
	}
}

func (b *builder) writeText(c *builtColumn, value cell) {
	switch {
	case value.form == listCell || value.form == objectCell:
		if c.leave(value); c.Kind != catalogue.Ignored {
			value.text = ""
		}
	case value.form == numberCell && strings.ContainsAny(value.text, ".eE"):
		if x, ok := table.ParseNumber(value.text); ok {
			value.text = catalogue.Shortest(x, 64)
		}
	case b.protected:
		value.text = strings.TrimSpace(table.Unprotect(value.text))
	}
	if b.lent {
		b.checkUTF8(c, value)
		value.text = strings.Clone(value.text)
	}
	c.Texts = append(c.Texts, value.text)
}

// checkUTF8 notes a text in another encoding.
func (b *builder) checkUTF8(c *builtColumn, value cell) {
	if !utf8.ValidString(value.text) {
		b.problem(value.row, c.Name, table.NotUTF8())
	}
}

// isVector reports whether a value in JSON is a list of numbers.
func isVector(value string) bool {
	return value[0] == '[' && !strings.ContainsAny(value[1:], `"[{`) && strings.TrimSpace(value[1:len(value)-1]) != ""
}

func (b *builder) writeVector(c *builtColumn, value cell) {
	if problem := b.options.Limits.ValuesProblem(b.rows, c.Width); problem.Exists() {
		b.exceed(b.Line(value.row), problem)
		return
	}
	width := 0
	switch value.form { //nolint:exhaustive // all others are wrong in one way
	case listCell:
		width = b.appendList(c, value.row, value.text)
	case missingCell:
		b.problem(value.row, c.Name, table.NoValue(""))
	default:
		b.problem(value.row, c.Name, table.Problemf("no-list", "%q is not a list of numbers", value.text))
	}
	b.endVector(c, value.row, width)
}

// appendList appends the numbers of a list in JSON, and returns how many there are.
func (b *builder) appendList(c *builtColumn, row int, list string) (width int) {
	rest := []byte(list[1 : len(list)-1])
	if !isVector(list) {
		b.problem(row, c.Name, table.Problemf("list-of-texts",
			"a list must have numbers in it, and nothing else: %s", table.Excerpt([]byte(list))).OrAs(ignored))
		return 0
	}
	for more := true; more; width++ {
		var element []byte
		element, rest, more = bytes.Cut(rest, []byte{','})
		element = bytes.TrimSpace(element)
		x, ok := table.ParseNumber(element)
		if !ok {
			b.problem(row, memberName(c.Name, width), table.NoNumber(string(element)))
			x = 0
		}
		b.appendNumber(c, row, width, x)
	}
	return width
}

// appendNumber appends a number to the vector of a row.
func (b *builder) appendNumber(c *builtColumn, row, at int, x float64) {
	y := float32(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		b.problem(row, memberName(c.Name, at), table.NoNumber(fmt.Sprint(x)))
		y = 0
	case math.IsInf(float64(y), 0):
		b.single(row, memberName(c.Name, at), x)
	}
	c.Vectors = append(c.Vectors, y)
}

// endVector makes the vector of a row, of which there are width numbers, as long as that of the first row.
func (b *builder) endVector(c *builtColumn, row, width int) {
	if c.Width == 0 {
		c.Width = width
	}
	if width > 0 && width != c.Width {
		b.problem(row, c.Name, table.Problemf("list-length", "the list has %d numbers, others have %d", width, c.Width))
	}
	length := len(c.Vectors) - width + c.Width
	for len(c.Vectors) < length {
		c.Vectors = append(c.Vectors, 0)
	}
	c.Vectors = c.Vectors[:length]
}

// exceed ends reading at a limit, which is then the only problem.
func (b *builder) exceed(line int, problem table.Problem) {
	if !b.ended {
		b.problems = catalogue.Problems{}
		b.end(line, problem)
	}
}

// end notes a problem behind which nothing is worth reading.
func (b *builder) end(line int, problem table.Problem) {
	b.problems.Add(b.Source, line, "", problem)
	b.ended = true
}
