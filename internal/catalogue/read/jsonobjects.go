package read

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A jsonColumn is a column that is Unknown, a Number or an Embedding once it is settled.
type jsonColumn struct {
	catalogue.Column

	rows    int // up to the last value
	written int // of the rows
	settled bool
	sample  []cell // the values, until it is settled
	sampled int    // the length of their texts
}

// A cell is a value in JSON: a text is without its quotes, others are as written.
type cell struct {
	row  int
	form cellForm
	text string
}

type cellForm int

const (
	missingCell cellForm = iota
	textCell
	numberCell
	truthCell
	listCell
	objectCell
)

// cellOf returns the value of a row, which must be valid JSON.
func cellOf(row int, value []byte) cell {
	switch value[0] {
	case 'n':
		return cell{row: row}
	case '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return cell{row: row}
		}
		return cell{row: row, form: textCell, text: strings.TrimSpace(text)}
	case 't', 'f':
		return cell{row: row, form: truthCell, text: string(value)}
	case '[':
		return cell{row: row, form: listCell, text: string(value)}
	case '{':
		return cell{row: row, form: objectCell, text: string(value)}
	default:
		return cell{row: row, form: numberCell, text: string(value)}
	}
}

// form returns how the values of a column are to be held, given the kind it is to have. A
// number in quotes is a number.
func (c *jsonColumn) form(kind catalogue.Kind) catalogue.Kind {
	var seen, numbers, lists int
	for _, value := range c.sample {
		text := value.form == textCell && !table.IsMissing(value.text)
		if text || value.form > textCell {
			seen++
		}
		if value.form == numberCell || text && table.LooksNumeric(value.text) {
			numbers++
		}
		if value.form == listCell {
			lists++
		}
	}
	switch {
	case mostly(lists, seen) && kind != catalogue.Ignored:
		return catalogue.Embedding
	case kind == catalogue.Number, kind == catalogue.Unknown && mostly(numbers, seen):
		return catalogue.Number
	default:
		return catalogue.Unknown
	}
}

// write writes a value into its column, behind rows without one.
func (o *objects) write(c *jsonColumn, value cell) {
	o.pad(c, value.row)
	o.writeNext(c, value)
}

// pad writes that a column has no values up to a row.
func (o *objects) pad(c *jsonColumn, row int) {
	for c.written < row && !o.ended {
		o.writeNext(c, cell{row: c.written})
	}
}

func (o *objects) writeNext(c *jsonColumn, value cell) {
	c.written++
	switch c.Kind { //nolint:exhaustive // all others are texts for now
	case catalogue.Number:
		o.writeNumber(c, value)
	case catalogue.Embedding:
		o.writeVector(c, value)
	default:
		o.writeText(c, value)
	}
}

func (o *objects) writeNumber(c *jsonColumn, value cell) {
	if value.form == listCell || value.form == objectCell {
		o.problem(value.row, c.Name, notHere(value))
		c.AddMissing()
		return
	}
	addNumber(&c.Column, value.text)
}

func (o *objects) writeText(c *jsonColumn, value cell) {
	ignored := o.options.Kinds[c.Name] == catalogue.Ignored
	switch {
	case (value.form == listCell || value.form == objectCell) && !ignored:
		o.problem(value.row, c.Name, notHere(value))
	case value.form == numberCell && strings.ContainsAny(value.text, ".eE"):
		if x, ok := table.ParseNumber(value.text); ok {
			value.text = catalogue.Shortest(x, 64)
		}
	}
	c.Texts = append(c.Texts, value.text)
}

// notHere says that a value is neither a text nor a number.
func notHere(value cell) table.Problem {
	what := "an object"
	if value.form == listCell {
		what = "a list"
	}
	return table.Problemf("nested", "%s is no value of this column: %s", what, table.Excerpt([]byte(value.text)))
}

func (o *objects) writeVector(c *jsonColumn, value cell) {
	if problem := o.options.Limits.ValuesProblem(o.rows, c.Width); problem.Exists() {
		o.exceed(o.Line(value.row), problem)
		return
	}
	start := len(c.Vectors)
	switch value.form { //nolint:exhaustive // all others are wrong in one way
	case listCell:
		o.appendList(c, value.row, value.text)
	case missingCell:
		o.problem(value.row, c.Name, table.NoValue(""))
	default:
		o.problem(value.row, c.Name, table.Problemf("no-list", "%q is not a list of numbers", value.text))
	}
	for len(c.Vectors) < start+c.Width {
		c.Vectors = append(c.Vectors, 0)
	}
	c.Vectors = c.Vectors[:start+c.Width]
}

// appendList appends the numbers of a list. The first list says how many there are.
func (o *objects) appendList(c *jsonColumn, row int, list string) {
	rest := []byte(list[1 : len(list)-1])
	if bytes.ContainsAny(rest, `"[{`) || len(bytes.TrimSpace(rest)) == 0 {
		o.problem(row, c.Name, table.Problemf("list-of-texts", "a list must have numbers in it, and nothing else: %s", table.Excerpt([]byte(list))).OrAs(ignored))
		return
	}
	width := 0
	for more := true; more; width++ {
		var element []byte
		element, rest, more = bytes.Cut(rest, []byte{','})
		element = bytes.TrimSpace(element)
		x, ok := table.ParseNumber(element)
		if !ok {
			o.problem(row, memberName(c.Name, width), table.NoNumber(string(element)))
		}
		y := float32(x)
		if math.IsInf(float64(y), 0) {
			o.single(row, memberName(c.Name, width), x)
		}
		c.Vectors = append(c.Vectors, y)
	}
	if c.Width == 0 {
		c.Width = width
	}
	if width != c.Width {
		o.problem(row, c.Name, table.Problemf("list-length", "the list has %d numbers, others have %d", width, c.Width))
	}
}

// objects is a table that grows object by object.
type objects struct {
	draft

	options catalogue.Options
	columns []*jsonColumn
	index   map[string]int // of columns, by name
	rows    int
	tried   int    // rows, and what was none
	values  int    // how many there are in all
	wrapper string // a name with a list of objects
	ended   bool   // whatever comes is not read any more
}

// set takes in the value of a row under a name.
func (o *objects) set(row int, name string, value []byte) {
	i, known := o.index[name]
	if !known {
		i = len(o.columns)
		o.index[name] = i
		o.columns = append(o.columns, &jsonColumn{Column: catalogue.Column{Name: name}})
	}
	c := o.columns[i]
	if c.rows > row {
		o.problem(row, name, table.Problemf("two-names", "the name is there twice"))
		return
	}
	c.rows = row + 1
	o.values++
	o.append(c, cellOf(row, value))
}

// append adds a value to a column. The first values wait until there are enough of them to
// tell what the column holds, or until those of all columns take much memory.
func (o *objects) append(c *jsonColumn, value cell) {
	const enoughValues, enoughText, enoughInAll = 1 << 16, 4 << 20, 1 << 20
	if c.settled {
		o.write(c, value)
		return
	}
	c.sample = append(c.sample, value)
	c.sampled += len(value.text)
	if len(c.sample) == enoughValues || c.sampled >= enoughText || o.values > enoughInAll {
		o.settleForm(c, o.roles()[o.index[c.Name]])
	}
}

// roles returns the kinds of the columns so far: see [catalogue.Roles].
func (o *objects) roles() []catalogue.Kind {
	names := make([]string, len(o.columns))
	for i, column := range o.columns {
		names[i] = column.Name
	}
	return catalogue.Roles(names, o.options.Kinds)
}

// settleForm decides what a column holds, given the kind it is to have, and writes the values
// that waited for it.
func (o *objects) settleForm(c *jsonColumn, kind catalogue.Kind) {
	c.Kind = c.form(kind)
	c.settled = true
	for _, value := range c.sample {
		o.write(c, value)
	}
	c.sample = nil
}

// finishColumns makes all columns as long as there are rows.
func (o *objects) finishColumns() {
	for i, kind := range o.roles() {
		c := o.columns[i]
		if !c.settled {
			o.settleForm(c, kind)
		}
		o.pad(c, o.rows)
		if c.Kind == catalogue.Embedding {
			c.Width = max(c.Width, 1) // of lists that are all wrong
		}
		o.Columns = append(o.Columns, c.Column)
	}
}

// checkShape notes that most objects lack most of the names: a table has room for all of them
// in every row.
func (o *objects) checkShape() {
	const plenty, thinnest = 1 << 24, 32
	if cells := o.rows * len(o.columns); !o.ended && cells > plenty && cells/thinnest > o.values {
		o.end(0, table.Problemf("thin", "%s objects have %s names, but %d each on average; arms must have the same names", table.Grouped(o.rows), table.Grouped(len(o.columns)), o.values/o.rows))
	}
}

// exceed ends reading at a limit, which is then the only problem.
func (o *objects) exceed(line int, problem table.Problem) {
	if !o.ended {
		o.problems = catalogue.Problems{}
		o.end(line, problem)
	}
}

// end notes a problem behind which nothing is worth reading.
func (o *objects) end(line int, problem table.Problem) {
	o.problems.Add(o.Source, line, "", problem)
	o.ended = true
}
