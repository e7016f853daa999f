package apidocs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// A field is a value with a name: a parameter, a header, a property or one of several forms.
type field struct {
	Name        string
	Type        string
	In          string // where a parameter is
	Required    bool
	Deprecated  bool
	Rules       []string // that the value keeps to
	Description []paragraph
	Fields      []field // inside of it
}

// A direction says who writes a value: clients do not write what is read-only.
type direction int

const (
	request direction = iota
	reply
)

// A describer turns schemas into fields. It knows which references it is inside of.
type describer struct {
	document  *document
	direction direction
	inside    []string // references
}

const (
	null   = "null"   // the type of nothing
	binary = "binary" // the format of files
)

// deepest is how far fields go into each other on the page.
const deepest = 12

// resolve returns the schema that one refers to, its name, and whether the describer is inside of
// it already, or too deep.
func (d *describer) resolve(s *schema) (there *schema, name string, again bool) {
	for hops := 0; s.Ref != "" && hops < deepest; hops++ {
		name = refName(s.Ref)
		there := d.document.Components.Schemas[name]
		if there == nil {
			return &schema{}, name, true
		}
		again = again || slices.Contains(d.inside, name)
		s = there
	}
	return s, name, again || len(d.inside) > deepest
}

// field describes a value.
func (d *describer) field(name string, s *schema, required bool) field {
	there, _, _ := d.resolve(s)
	f := field{Name: name, Type: d.typeOf(s), Required: required, Deprecated: s.Deprecated || there.Deprecated, Rules: rules(there)}
	description := s.Description
	if description == "" {
		description = there.Description
	}
	f.Description = paragraphs(description)
	f.Fields = d.fields(s)
	return f
}

// fields describes what is inside of a value: the properties of an object, of the elements of a
// list, or the forms that it may have.
func (d *describer) fields(s *schema) []field {
	there, name, again := d.resolve(s)
	if again {
		return nil
	}
	d.inside = append(d.inside, name)
	defer func() { d.inside = d.inside[:len(d.inside)-1] }()
	if there.Items != nil {
		return d.fields(there.Items)
	}
	var fields []field
	for _, part := range there.AllOf {
		fields = append(fields, d.fields(part)...)
	}
	for i, form := range slices.Concat(there.OneOf, there.AnyOf) {
		fields = append(fields, d.form(i, form))
	}
	fields = append(fields, d.properties(there)...)
	if there.Additional.schema != nil {
		fields = append(fields, d.fields(there.Additional.schema)...)
	}
	return fields
}

// form describes one of several forms of a value.
func (d *describer) form(i int, s *schema) field {
	there, name, _ := d.resolve(s)
	switch {
	case there.Title != "":
		name = there.Title
	case name == "":
		name = fmt.Sprintf("form %d", i+1)
	}
	return d.field(name, s, false)
}

// properties describes those of an object, in the order of their ranks and names.
func (d *describer) properties(s *schema) (fields []field) {
	for _, name := range sortedKeys(s.Properties) {
		p := s.Properties[name]
		there, _, _ := d.resolve(p)
		if d.direction == request && (p.ReadOnly || there.ReadOnly) || d.direction == reply && (p.WriteOnly || there.WriteOnly) {
			continue
		}
		fields = append(fields, d.field(name, p, slices.Contains(s.Required, name)))
	}
	slices.SortStableFunc(fields, func(a, b field) int { return a.rank() - b.rank() })
	return fields
}

// rank orders fields: the required ones first, and last those about the description itself, such
// as $schema.
func (f field) rank() int {
	switch {
	case f.Required:
		return 0
	case strings.HasPrefix(f.Name, "$"):
		return 2
	default:
		return 1
	}
}

// typeOf returns what a value is in a few words. That it may be null is one of its [rules].
func (d *describer) typeOf(s *schema) string {
	there, name, again := d.resolve(s)
	if again {
		return cmp.Or(name, huma.TypeObject)
	}
	d.inside = append(d.inside, name)
	defer func() { d.inside = d.inside[:len(d.inside)-1] }()
	var words []string
	for _, t := range there.Type {
		if t == null {
			continue
		}
		words = append(words, d.word(there, t, name))
	}
	switch {
	case len(words) > 0:
		return strings.Join(words, " or ")
	case len(there.OneOf)+len(there.AnyOf) > 0:
		return "one of these forms"
	case name != "":
		return name
	case len(there.Properties)+len(there.AllOf) > 0:
		return huma.TypeObject
	default:
		return "anything"
	}
}

// word returns what a value of a type is.
func (d *describer) word(s *schema, typeName, name string) string {
	switch {
	case typeName == huma.TypeArray && s.Items != nil:
		return "list of " + d.typeOf(s.Items)
	case typeName == huma.TypeArray:
		return "list"
	case typeName == huma.TypeObject && s.Additional.schema != nil && len(s.Properties) == 0:
		return "object with any names, each " + d.typeOf(s.Additional.schema)
	case typeName == huma.TypeObject && name != "":
		return name
	case typeName == huma.TypeString && s.Format == binary:
		return "file"
	case typeName == huma.TypeString && s.ContentEncoding != "":
		return "string, " + s.ContentEncoding
	case s.Format != "":
		return typeName + ", " + s.Format
	default:
		return typeName
	}
}
