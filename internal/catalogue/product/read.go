package product

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// Limits of a file of profiles. Its nodes take up to two hundred times as much memory as its text.
const (
	maxBytes         = 1 << 20   // bytes
	maxUploadedBytes = 256 << 10 // bytes, if there are limits
	maxForbidden     = 100_000   // levels in forbidden combinations; an alias counts all of its levels
)

// Read reads attributes and levels from YAML or JSON:
//
//	price: [10, 12, 15]
//	brand: [acme, zenith]
//	forbidden:
//	  - {brand: acme, price: [10, 12]}
//
// The attributes may be under the key attributes. If all levels are numbers, the attribute is a
// Number; if all are true or false, a Boolean; otherwise a Category. Options override that.
func Read(source io.Reader, name string, options catalogue.Options) (*Profiles, error) {
	limits := FileLimits(options.Limits)
	data, err := io.ReadAll(io.LimitReader(source, limits.Bytes+1))
	if err != nil {
		return nil, &table.Error{File: name, Problem: table.Problemf("", "%v", err), Cause: err}
	}
	if problem := limits.BytesProblem(int64(len(data))); problem.Exists() {
		return nil, &table.Error{File: name, Problem: problem}
	}
	p, err := Parse(data, name, func(a Attribute) catalogue.Kind {
		return cmp.Or(options.Kinds[a.Name], catalogue.KindOfLevels(a.Levels))
	})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(options.Kinds)) {
		if !slices.ContainsFunc(p.Attributes, func(a Attribute) bool { return a.Name == name }) {
			return nil, &table.Error{File: p.Source, Problem: table.Problemf("no-attribute", "there is no attribute %q", name)}
		}
	}
	return p, nil
}

// FileLimits returns the limits of a file of profiles, given those of an upload.
func FileLimits(limits table.Limits) table.Limits {
	if limits == (table.Limits{}) {
		return table.Limits{Bytes: maxBytes}
	}
	return table.Limits{Bytes: maxUploadedBytes}
}

// Parse parses profiles. kindOf returns the kinds of the attributes.
func Parse(data []byte, name string, kindOf func(Attribute) catalogue.Kind) (*Profiles, error) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := documents.Decode(&document); {
	case errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0:
		return nil, &table.Error{File: name, Problem: table.Problemf("empty", "the file is empty")}
	case err != nil:
		return nil, yamlError(name, err)
	}
	r := profilesReader{profiles: &Profiles{Source: name}, kindOf: kindOf, places: map[string]int{}}
	r.readDocument(resolved(document.Content[0]))
	switch err := documents.Decode(&second); {
	case err == nil:
		r.problem(&second, "a second document begins here, and one is read")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(name, err)
	}
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	return r.profiles, nil
}

// resolved returns the target of an alias, and other nodes unchanged.
func resolved(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// yamlLine matches the line in an error of the YAML reader, which has no type.
var yamlLine = regexp.MustCompile(`^line (\d+): `)

// yamlError rewords an error of the YAML reader, with its line.
func yamlError(name string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if found := yamlLine.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1]) // it is digits
		text = text[len(found[0]):]
	}
	return &table.Error{File: name, Line: line, Problem: table.Problemf("no-yaml", "%s", text)}
}

// A profilesReader turns YAML into profiles and collects problems.
type profilesReader struct {
	profiles  *Profiles
	kindOf    func(Attribute) catalogue.Kind
	places    map[string]int // of the attributes
	forbidden int            // levels in forbidden combinations so far
	problems  catalogue.Problems
}

func (r *profilesReader) problem(node *yaml.Node, format string, arguments ...any) {
	r.problems.Add(r.profiles.Source, node.Line, "", table.Problemf("", format, arguments...))
}

// problemOf adds a problem of an attribute.
func (r *profilesReader) problemOf(attribute string, node *yaml.Node, format string, arguments ...any) {
	r.problem(node, "attribute %q: "+format, append([]any{attribute}, arguments...)...)
}

const (
	attributesKey = "attributes"
	forbiddenKey  = "forbidden"

	// maxAttributes is the largest number of attributes.
	maxAttributes = 1000
)

func (r *profilesReader) readDocument(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		r.problem(root, "attributes with levels are expected, such as price: [10, 12, 15]")
		return
	}
	sections := map[string]*yaml.Node{}
	for key, value := range pairs(root) {
		if key.Value != attributesKey && key.Value != forbiddenKey {
			continue
		}
		if sections[key.Value] != nil {
			r.problem(key, "%s is there twice", key.Value)
		}
		sections[key.Value] = value
	}
	attributes := root
	if section := sections[attributesKey]; section != nil {
		attributes = section
		r.checkBeside(root)
	}
	r.readAttributes(attributes, attributes == root)
	if forbidden := sections[forbiddenKey]; forbidden != nil && len(r.problems.List) == 0 {
		r.readForbidden(forbidden)
	}
}

// pairs iterates over the keys and values of a mapping.
func pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(resolved(mapping.Content[i]), resolved(mapping.Content[i+1])) {
				return
			}
		}
	}
}

// checkBeside adds a problem for other keys beside the section of attributes.
func (r *profilesReader) checkBeside(root *yaml.Node) {
	for key := range pairs(root) {
		if key.Value != attributesKey && key.Value != forbiddenKey {
			r.problem(key, "%q stands beside the attributes; there are %s and %s", key.Value, attributesKey, forbiddenKey)
		}
	}
}

// readAttributes reads the attributes of a section, or of the document if it has no section.
func (r *profilesReader) readAttributes(section *yaml.Node, document bool) {
	if section.Kind != yaml.MappingNode {
		r.problem(section, "%s: attributes with levels are expected, such as price: [10, 12, 15]", attributesKey)
		return
	}
	if n := len(section.Content) / 2; n > maxAttributes {
		r.problem(section, "%s attributes are too many (at most %s)", table.Grouped(n), table.Grouped(maxAttributes))
		return
	}
	for key, value := range pairs(section) {
		if !document || key.Value != forbiddenKey {
			r.readAttribute(key, value)
		}
	}
	if len(r.profiles.Attributes) == 0 && len(r.problems.List) == 0 {
		r.problem(section, "there are no attributes")
	}
}

// readAttribute reads a name and a list of levels.
func (r *profilesReader) readAttribute(key, value *yaml.Node) {
	a := Attribute{Name: key.Value}
	if key.Kind != yaml.ScalarNode || a.Name == "" {
		r.problem(key, "the name of an attribute is a text")
		return
	}
	if _, twice := r.places[a.Name]; twice {
		r.problemOf(a.Name, key, "it is there twice")
		return
	}
	if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
		r.problemOf(a.Name, value, "a list of levels is expected, such as [10, 12, 15]")
		return
	}
	if len(value.Content) > catalogue.MaxLevels {
		r.problemOf(a.Name, value, "%d levels are too many (at most %d)", len(value.Content), catalogue.MaxLevels)
		return
	}
	known := map[string]bool{}
	for _, level := range value.Content {
		level = resolved(level)
		switch {
		case level.Kind != yaml.ScalarNode:
			r.problemOf(a.Name, level, noLevel)
		case table.IsMissing(level.Value):
			r.problemOf(a.Name, level, "a level is missing")
		case known[level.Value]:
			r.problemOf(a.Name, level, "the level %q is there twice", level.Value)
		default:
			known[level.Value] = true
			a.Levels = append(a.Levels, level.Value)
		}
	}
	a.Kind = r.kindOf(a)
	r.checkLevels(value, a)
	r.places[a.Name] = len(r.profiles.Attributes)
	r.profiles.Attributes = append(r.profiles.Attributes, a)
}

const noLevel = "a level is a text or a number"

// checkLevels adds problems for levels that do not suit the kind of an attribute, or are equal.
func (r *profilesReader) checkLevels(node *yaml.Node, a Attribute) {
	numbers, truths := map[float64]string{}, map[bool]string{}
	for _, level := range a.Levels {
		switch a.Kind { //nolint:exhaustive // others are refused
		case catalogue.Number:
			x, ok := table.ParseNumber(level)
			if !ok {
				r.problemOf(a.Name, node, "%q is not a number", level)
			} else if same, twice := numbers[x]; twice {
				r.problemOf(a.Name, node, "%q and %q are the same number", same, level)
			}
			numbers[x] = level
		case catalogue.Boolean:
			truth, known := catalogue.BooleanValue(level)
			if !known {
				r.problemOf(a.Name, node, "%q is neither true nor false", level)
			} else if same, twice := truths[truth]; twice {
				r.problemOf(a.Name, node, "%q and %q mean the same", same, level)
			}
			truths[truth] = level
		case catalogue.Category:
		default:
			r.problemOf(a.Name, node, "it cannot be of kind %v", a.Kind)
			return
		}
	}
}

// readForbidden reads a list of combinations.
func (r *profilesReader) readForbidden(node *yaml.Node) {
	if node.Kind != yaml.SequenceNode {
		r.problem(node, "%s: a list of combinations is expected, such as - {brand: acme, price: 15}", forbiddenKey)
		return
	}
	for _, entry := range node.Content {
		entry = resolved(entry)
		if entry.Kind != yaml.MappingNode || len(entry.Content) < 4 {
			r.problem(entry, "%s: a combination has two attributes at least, such as {brand: acme, price: 15}", forbiddenKey)
			continue
		}
		var combination Combination
		for key, value := range pairs(entry) {
			if slices.ContainsFunc(combination, func(part LevelSet) bool { return part.Attribute == key.Value }) {
				r.problemOf(key.Value, key, "it is in the combination twice; several levels are a list, such as [10, 12]")
			}
			combination = append(combination, r.readPart(key, value))
		}
		if r.forbidden > maxForbidden {
			r.problem(entry, "%s: the combinations have more than %s levels in all", forbiddenKey, table.Grouped(maxForbidden))
			return
		}
		r.profiles.Forbidden = append(r.profiles.Forbidden, combination)
	}
}

// readPart reads an attribute with one level or several.
func (r *profilesReader) readPart(key, value *yaml.Node) LevelSet {
	part := LevelSet{Attribute: key.Value}
	at, known := r.places[key.Value]
	if !known {
		r.problem(key, "there is no attribute %q", key.Value)
		return part
	}
	levels := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		levels = value.Content
	}
	if len(levels) == 0 {
		r.problemOf(key.Value, value, "the combination has no level of it")
	}
	r.forbidden += len(levels)
	for _, level := range levels {
		level = resolved(level)
		switch {
		case level.Kind != yaml.ScalarNode:
			r.problemOf(key.Value, level, noLevel)
		case !slices.Contains(r.profiles.Attributes[at].Levels, level.Value):
			r.problemOf(key.Value, level, "%q is not one of its levels", level.Value)
		}
		part.Levels = append(part.Levels, level.Value)
	}
	return part
}

// Write writes attributes, levels and forbidden combinations as YAML that [Read] reads.
func (p *Profiles) Write(w io.Writer) error {
	text := func(value string) *yaml.Node {
		node := &yaml.Node{}
		node.SetString(value)
		return node
	}
	list := func(values []string) *yaml.Node {
		node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, value := range values {
			node.Content = append(node.Content, text(value))
		}
		return node
	}
	attributes := &yaml.Node{Kind: yaml.MappingNode}
	for _, a := range p.Attributes {
		attributes.Content = append(attributes.Content, text(a.Name), list(a.Levels))
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text(attributesKey), attributes}}
	if len(p.Forbidden) > 0 {
		forbidden := &yaml.Node{Kind: yaml.SequenceNode}
		for _, combination := range p.Forbidden {
			entry := &yaml.Node{Kind: yaml.MappingNode}
			for _, part := range combination {
				entry.Content = append(entry.Content, text(part.Attribute), list(part.Levels))
			}
			forbidden.Content = append(forbidden.Content, entry)
		}
		root.Content = append(root.Content, text(forbiddenKey), forbidden)
	}
	data, err := yaml.Marshal(root)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
