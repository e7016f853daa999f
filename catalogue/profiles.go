package catalogue

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"bestpick/table"
)

// Profiles are arms given by attributes and their levels, as in conjoint analysis: one arm for
// each combination of levels, but those forbidden.
type Profiles struct {
	Source     string        `json:"-"`
	Attributes []Attribute   `json:"attributes"`
	Forbidden  []Combination `json:"forbidden,omitempty"`
}

// An Attribute has one of its levels in every profile.
type Attribute struct {
	Name   string   `json:"name"`
	Kind   Kind     `json:"kind"` // Number, Category or Boolean
	Levels []string `json:"levels"`
}

// A Combination is what no profile may have together: of each attribute named, one of the
// levels listed.
type Combination []LevelSet

// A LevelSet is some levels of an attribute.
type LevelSet struct {
	Attribute string   `json:"attribute"`
	Levels    []string `json:"levels"`
}

// mostProfilesFile is how many bytes are read of a file of profiles.
const mostProfilesFile = 1 << 20

// ReadProfiles reads attributes and levels from YAML, or JSON, which is YAML too:
//
//	price: [10, 12, 15]
//	brand: [acme, zenith]
//	forbidden:
//	  - {brand: acme, price: [10, 12]}
//
// The attributes may be under a key attributes. Levels that are all numbers make the attribute
// a Number, all true or false a Boolean, others a Category, unless options say otherwise.
func ReadProfiles(source io.Reader, name string, options Options) (*Profiles, error) {
	data, err := io.ReadAll(io.LimitReader(source, mostProfilesFile+1))
	if err != nil {
		return nil, &table.Error{File: name, Problem: err.Error(), Cause: err}
	}
	if len(data) > mostProfilesFile {
		return nil, &table.Error{File: name, Problem: "the file is too long for attributes and levels"}
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, yamlError(name, err)
	}
	r := profilesReader{profiles: &Profiles{Source: name}}
	if len(document.Content) == 0 {
		return nil, &table.Error{File: name, Problem: "the file is empty"}
	}
	r.readDocument(document.Content[0], options)
	if err := r.problems.orNil(); err != nil {
		return nil, err
	}
	return r.profiles, nil
}

// yamlError words an error of the YAML reader, which says where in its text.
func yamlError(name string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if found := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1]) // it is digits
		text = text[len(found[0]):]
	}
	return &table.Error{File: name, Line: line, Problem: text}
}

// A profilesReader turns YAML into profiles and notes what is wrong with it.
type profilesReader struct {
	profiles *Profiles
	problems Problems
}

func (r *profilesReader) problem(node *yaml.Node, attribute, format string, arguments ...any) {
	r.problems.add(r.profiles.Source, node.Line, attribute, format, arguments...)
}

const (
	attributesKey = "attributes"
	forbiddenKey  = "forbidden"
)

func (r *profilesReader) readDocument(root *yaml.Node, options Options) {
	if root.Kind != yaml.MappingNode {
		r.problem(root, "", "attributes with levels are expected, such as price: [10, 12, 15]")
		return
	}
	attributes, forbidden := root, (*yaml.Node)(nil)
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch value := root.Content[i+1]; root.Content[i].Value {
		case attributesKey:
			attributes = value
		case forbiddenKey:
			forbidden = value
		}
	}
	if attributes.Kind != yaml.MappingNode {
		r.problem(attributes, attributesKey, "attributes with levels are expected, such as price: [10, 12, 15]")
		return
	}
	for i := 0; i+1 < len(attributes.Content); i += 2 {
		if key := attributes.Content[i]; key.Value != forbiddenKey || attributes != root {
			r.readAttribute(key, attributes.Content[i+1], options)
		}
	}
	if attributes != root {
		for i := 0; i < len(root.Content); i += 2 {
			if key := root.Content[i]; key.Value != attributesKey && key.Value != forbiddenKey {
				r.problem(key, key.Value, "it stands beside the attributes; there are %s and %s", attributesKey, forbiddenKey)
			}
		}
	}
	if len(r.profiles.Attributes) == 0 && len(r.problems.List) == 0 {
		r.problem(root, "", "there are no attributes")
	}
	for _, name := range sortedKeys(options.Kinds) {
		if r.profiles.attribute(name) < 0 {
			r.problem(root, name, "there is no such attribute")
		}
	}
	if forbidden != nil && len(r.problems.List) == 0 {
		r.readForbidden(forbidden)
	}
}

// readAttribute reads a name and a list of levels.
func (r *profilesReader) readAttribute(key, value *yaml.Node, options Options) {
	a := Attribute{Name: key.Value}
	if key.Kind != yaml.ScalarNode || a.Name == "" {
		r.problem(key, "", "the name of an attribute is a text")
		return
	}
	if r.profiles.attribute(a.Name) >= 0 {
		r.problem(key, a.Name, "the attribute is there twice")
		return
	}
	if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
		r.problem(value, a.Name, "a list of levels is expected, such as [10, 12, 15]")
		return
	}
	if len(value.Content) > mostLevels {
		r.problem(value, a.Name, "%d levels are too many (at most %d)", len(value.Content), mostLevels)
		return
	}
	for _, level := range value.Content {
		switch {
		case level.Kind != yaml.ScalarNode:
			r.problem(level, a.Name, "a level is a text or a number")
		case table.IsMissing(level.Value):
			r.problem(level, a.Name, "a level is missing")
		case slices.Contains(a.Levels, level.Value):
			r.problem(level, a.Name, "the level %q is there twice", level.Value)
		default:
			a.Levels = append(a.Levels, level.Value)
		}
	}
	a.Kind = options.Kinds[a.Name]
	if a.Kind == Unknown {
		a.Kind = kindOfLevels(a.Levels)
	}
	r.checkLevels(value, a)
	r.profiles.Attributes = append(r.profiles.Attributes, a)
}

// checkLevels notes levels that do not suit the kind of an attribute.
func (r *profilesReader) checkLevels(node *yaml.Node, a Attribute) {
	for _, level := range a.Levels {
		switch a.Kind { //nolint:exhaustive // others are refused
		case Number:
			if _, err := parseLevel(level); err != nil {
				r.problem(node, a.Name, "%q is not a number", level)
			}
		case Boolean:
			if _, known := booleanOf(level); !known {
				r.problem(node, a.Name, "%q is neither true nor false", level)
			}
		case Category:
		default:
			r.problem(node, a.Name, "an attribute cannot be of kind %v", a.Kind)
			return
		}
	}
}

// kindOfLevels recognises an attribute by its levels.
func kindOfLevels(levels []string) Kind {
	all := func(is func(string) bool) bool {
		return !slices.ContainsFunc(levels, func(level string) bool { return !is(level) })
	}
	switch {
	case all(func(level string) bool { _, err := parseLevel(level); return err == nil }):
		return Number
	case len(levels) == 2 && all(func(level string) bool { _, known := truthOf(level); return known }):
		return Boolean
	default:
		return Category
	}
}

// parseLevel reads a finite number.
func parseLevel(level string) (float64, error) {
	x, err := strconv.ParseFloat(level, 64)
	if err == nil && x-x != 0 {
		err = strconv.ErrRange
	}
	return x, err
}

// attribute returns which attribute has a name, −1 for none.
func (p *Profiles) attribute(name string) int {
	return slices.IndexFunc(p.Attributes, func(a Attribute) bool { return a.Name == name })
}

// readForbidden reads a list of combinations.
func (r *profilesReader) readForbidden(node *yaml.Node) {
	if node.Kind != yaml.SequenceNode {
		r.problem(node, forbiddenKey, "a list of combinations is expected, such as - {brand: acme, price: 15}")
		return
	}
	for _, entry := range node.Content {
		if entry.Kind != yaml.MappingNode || len(entry.Content) < 4 {
			r.problem(entry, forbiddenKey, "a combination has two attributes at least, such as {brand: acme, price: 15}")
			continue
		}
		var combination Combination
		for i := 0; i+1 < len(entry.Content); i += 2 {
			combination = append(combination, r.readPart(entry.Content[i], entry.Content[i+1]))
		}
		r.profiles.Forbidden = append(r.profiles.Forbidden, combination)
	}
}

// readPart reads an attribute with one level or several.
func (r *profilesReader) readPart(key, value *yaml.Node) LevelSet {
	part := LevelSet{Attribute: key.Value}
	at := r.profiles.attribute(key.Value)
	if at < 0 {
		r.problem(key, key.Value, "there is no such attribute")
		return part
	}
	levels := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		levels = value.Content
	}
	for _, level := range levels {
		if !slices.Contains(r.profiles.Attributes[at].Levels, level.Value) {
			r.problem(level, key.Value, "%q is not one of its levels", level.Value)
		}
		part.Levels = append(part.Levels, level.Value)
	}
	return part
}
