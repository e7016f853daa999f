package catalogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"bestpick/table"
)

// A jsonColumn is a column that is Unknown, a Number or an Embedding once it is settled.
type jsonColumn struct {
	Column

	rows    int
	settled bool
	sample  []cell // the values, until it is settled
	sampled int    // the length of their texts
}

// A cell is a value in JSON: a text is without its quotes, others are as written.
type cell struct {
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

// cellOf returns a value, which must be valid JSON.
func cellOf(value []byte) cell {
	switch value[0] {
	case 'n':
		return cell{}
	case '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return cell{}
		}
		return cell{form: textCell, text: strings.TrimSpace(text)}
	case 't', 'f':
		return cell{form: truthCell, text: string(value)}
	case '[':
		return cell{form: listCell, text: string(value)}
	case '{':
		return cell{form: objectCell, text: string(value)}
	default:
		return cell{form: numberCell, text: string(value)}
	}
}

// form returns how the values of a column are to be held, given the kind it is to have.
func (c *jsonColumn) form(kind Kind) Kind {
	var seen, numbers, lists int
	for _, value := range c.sample {
		if value.form != missingCell {
			seen++
		}
		if value.form == numberCell {
			numbers++
		}
		if value.form == listCell {
			lists++
		}
	}
	switch {
	case mostlyNumbers(lists, seen) && kind != Ignored:
		return Embedding
	case kind == Number, kind == Unknown && mostlyNumbers(numbers, seen):
		return Number
	default:
		return Unknown
	}
}

// write writes a value into its column.
func (o *objects) write(c *jsonColumn, row int, value cell) {
	if c.Kind == Number {
		o.writeNumber(c, row, value)
		return
	}
	if c.Kind == Embedding {
		o.writeVector(c, row, value)
		return
	}
	o.writeText(c, row, value)
}

func (o *objects) writeNumber(c *jsonColumn, row int, value cell) {
	x, ok := table.ParseNumber(value.text)
	switch {
	case value.form == listCell || value.form == objectCell:
		o.problem(row, c.Name, notHere(value))
	case !ok:
		o.problem(row, c.Name, table.NoNumber(value.text))
	}
	c.Numbers = append(c.Numbers, x)
}

func (o *objects) writeText(c *jsonColumn, row int, value cell) {
	ignored := o.options.Kinds[c.Name] == Ignored
	switch {
	case (value.form == listCell || value.form == objectCell) && !ignored:
		o.problem(row, c.Name, notHere(value))
	case value.form == numberCell && strings.ContainsAny(value.text, ".eE"):
		if x, ok := table.ParseNumber(value.text); ok {
			value.text = shortest(x, 64)
		}
	}
	c.Texts = append(c.Texts, value.text)
}

// notHere says that a value is neither a text nor a number.
func notHere(value cell) string {
	what := "an object"
	if value.form == listCell {
		what = "a list"
	}
	return fmt.Sprintf("%s is no value of this column: %s", what, excerpt([]byte(value.text)))
}

func (o *objects) writeVector(c *jsonColumn, row int, value cell) {
	start := len(c.Vectors)
	switch value.form { //nolint:exhaustive // all others are wrong in one way
	case listCell:
		o.appendList(c, row, value.text)
	case missingCell:
		o.problem(row, c.Name, table.NoValue(""))
	default:
		o.problem(row, c.Name, fmt.Sprintf("%q is not a list of numbers", value.text))
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
		o.problem(row, c.Name, "a list must have numbers in it, and nothing else: "+excerpt([]byte(list)))
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
		c.Vectors = append(c.Vectors, o.single(row, memberName(c.Name, width), x))
	}
	if c.Width == 0 {
		c.Width = width
	}
	if width != c.Width {
		o.problem(row, c.Name, fmt.Sprintf("the list has %d numbers, others have %d", width, c.Width))
	}
}
