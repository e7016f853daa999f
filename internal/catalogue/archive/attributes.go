package archive

import (
	"fmt"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
)

// attributeMark precedes the names of attributes among the columns of a saved catalogue, so that no
// column of the owner can be mistaken for the id or the label.
const attributeMark = "attribute:"

// attributeHeader returns the name of an attribute's column in a saved catalogue. CSV does not
// preserve carriage returns, so they are written as \r.
func attributeHeader(name string) string {
	return attributeMark + strings.NewReplacer(`\`, `\\`, "\r", `\r`).Replace(name)
}

// attributeOf returns the name of the attribute in a column of a saved catalogue.
func attributeOf(header string) (name string, is bool) {
	name, is = strings.CutPrefix(header, attributeMark)
	return strings.NewReplacer(`\\`, `\`, `\r`, "\r").Replace(name), is
}

// addAttribute adds an attribute without values, of the kind in the encoding.
func (s *Catalogue) addAttribute(name string) error {
	if slices.ContainsFunc(s.Attributes, func(c catalogue.Column) bool { return c.Name == name }) {
		return fmt.Errorf("the attribute %q is there twice", name)
	}
	column := catalogue.Column{Name: name}
	if coding := s.Encoding.Coding(name); coding != nil {
		column.Kind, column.Format = coding.Kind, coding.Format
	}
	if column.Kind == catalogue.Embedding {
		return fmt.Errorf("the attribute %q is an embedding", name)
	}
	s.Attributes = append(s.Attributes, column)
	return nil
}

// settleAttributes recognises the attributes that the encoding does not have, because they are the
// same for all of the first arms.
func (s *Catalogue) settleAttributes() {
	for k := range s.Attributes {
		c := &s.Attributes[k]
		if c.Kind != catalogue.Unknown {
			continue
		}
		texts := c.Texts
		c.Kind = catalogue.KindOfLevels(texts)
		if c.Kind == catalogue.Number {
			c.Texts = nil
			for _, text := range texts {
				c.AddText(text, nil)
			}
		}
	}
}

// extended returns an attribute with the values of added arms, empty if they have none.
func extended(c *catalogue.Column, t *catalogue.Table) catalogue.Column {
	all := c.First(c.Len())
	later, known := t.Column(c.Name), map[string]string{}
	for row := range t.Len() {
		text := ""
		if later != nil && later.Kind != catalogue.Embedding {
			text = later.Text(row)
		}
		all.AddText(text, known)
	}
	return all
}
