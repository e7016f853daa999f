package catalogue

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bestpick/table"
)

// attributeMark stands before the names of attributes among the columns of a saved catalogue: no
// column of the owner's can be taken for the id or the label.
const attributeMark = "attribute:"

// attributeHeader returns what the column of an attribute is called in a saved catalogue. CSV
// does not keep carriage returns, so they are written as \r.
func attributeHeader(name string) string {
	return attributeMark + strings.NewReplacer(`\`, `\\`, "\r", `\r`).Replace(name)
}

// attributeOf returns the name of the attribute that a column of a saved catalogue has.
func attributeOf(header string) (name string, is bool) {
	name, is = strings.CutPrefix(header, attributeMark)
	return strings.NewReplacer(`\\`, `\`, `\r`, "\r").Replace(name), is
}

// addAttribute adds an attribute without values, of the kind that the encoding says.
func (s *Saved) addAttribute(name string) error {
	if slices.ContainsFunc(s.Attributes, func(c Column) bool { return c.Name == name }) {
		return fmt.Errorf("the attribute %q is there twice", name)
	}
	column := Column{Name: name}
	if coding := s.Encoding.coding(name); coding != nil {
		column.Kind = coding.Kind
	}
	if column.Kind == Embedding {
		return fmt.Errorf("the attribute %q is an embedding", name)
	}
	s.Attributes = append(s.Attributes, column)
	return nil
}

// add adds the value of one more arm to an attribute. A text that is no number is kept among
// numbers too: what the encoding leaves out may be missing. Other texts are taken from those
// known, where they are.
func (c *Column) add(text string, known map[string]string) {
	if c.Kind != Number {
		same, met := known[text]
		if !met {
			same = strings.Clone(text)
			known[same] = same
		}
		c.Texts = append(c.Texts, same)
		return
	}
	x, ok := table.ParseNumber(text)
	if !ok {
		x = math.NaN()
	}
	if c.writing.forms == nil {
		c.writing.forms = slices.Repeat([]uint8{shortForm}, len(c.Numbers))
	}
	c.Numbers = append(c.Numbers, x)
	c.writing.add([]byte(text), x)
}

// settleAttributes recognises the attributes that the encoding does not know, because they are
// the same for all of the first arms.
func (s *Saved) settleAttributes() {
	for k := range s.Attributes {
		c := &s.Attributes[k]
		if c.Kind != Unknown {
			continue
		}
		texts := c.Texts
		c.Kind = kindOfLevels(texts)
		if c.Kind == Number {
			c.Texts = nil
			for _, text := range texts {
				c.add(text, nil)
			}
		}
	}
}

// extended returns an attribute with the values that later arms have for it, nothing where they
// have none.
func (c *Column) extended(t *Table) Column {
	all := *c
	all.Numbers, all.Texts, all.writing = slices.Clip(c.Numbers), slices.Clip(c.Texts), c.writing.first(len(c.Numbers))
	later, known := t.Column(c.Name), map[string]string{}
	for row := range t.Len() {
		text := ""
		if later != nil && later.Kind != Embedding {
			text = later.Text(row)
		}
		all.add(text, known)
	}
	return all
}
