// Package product reads attributes and levels as in conjoint analysis, and encodes all of their
// combinations as arms without enumerating them.
package product

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/table"
)

// maxTied is the largest number of combinations of attributes that forbidden combinations tie
// together.
const maxTied = 4096

// NewEncoding learns how the levels of attributes become features, as [encode.NewEncoding] does
// from arms: every level that is allowed in some profile counts once. It omits features that are
// combinations of others in all allowed profiles. Ball is the length of the longest profile.
func NewEncoding(p *Profiles) (*encode.Encoding, error) {
	var learner encode.GroupLearner
	count := 1
	for _, tied := range p.tied() {
		combinations, err := p.allowed(tied)
		if err != nil {
			return nil, &table.Error{File: p.Source, Problem: table.Problemf("", "%v", err)}
		}
		if count *= len(combinations); count > choice.MaxProfiles { // before they take much memory
			return nil, &table.Error{
				File:    p.Source,
				Problem: table.Problemf("many-profiles", "there are more than %d profiles", choice.MaxProfiles),
			}
		}
		if err := learner.Add(p.levelGroup(tied, combinations)); err != nil {
			return nil, err
		}
	}
	e, err := learner.Encoding()
	if err != nil {
		return nil, &table.Error{File: p.Source, Problem: table.Problemf("", "%v", err)}
	}
	return e, nil
}

// levelGroup returns the combinations of some attributes, with the levels that occur in them and
// the levels that do not.
func (p *Profiles) levelGroup(attributes []int, combinations [][]int) encode.Group {
	g := encode.Group{Combinations: p.options(attributes, combinations)}
	for i, at := range attributes {
		a, levels := p.Attributes[at], levelsIn(combinations, i)
		var never []encode.Dependence
		for l, level := range a.Levels {
			if !slices.Contains(levels, l) {
				never = append(never, encode.Dependence{Name: a.Name + "=" + level, Never: true})
			}
		}
		g.Levels, g.Never = append(g.Levels, a.Column(levels)), append(g.Never, never)
	}
	return g
}

// levelsIn returns the levels of one attribute that occur in combinations, in their order.
func levelsIn(combinations [][]int, attribute int) []int {
	var levels []int
	for _, combination := range combinations {
		levels = append(levels, combination[attribute])
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

// Column returns some levels of an attribute as a column, one per row.
func (a Attribute) Column(levels []int) catalogue.Column {
	column := catalogue.Column{Name: a.Name, Kind: a.Kind}
	for _, l := range levels {
		if a.Kind != catalogue.Number {
			column.Texts = append(column.Texts, a.Levels[l])
			continue
		}
		x, ok := table.ParseNumber(a.Levels[l])
		if !ok {
			x = math.NaN()
		}
		column.Numbers = append(column.Numbers, x)
	}
	return column
}

// options returns combinations of the levels of some attributes as arms.
func (p *Profiles) options(attributes []int, combinations [][]int) *catalogue.Table {
	t := &catalogue.Table{Source: p.Source}
	for i, at := range attributes {
		var levels []int
		for _, combination := range combinations {
			levels = append(levels, combination[i])
		}
		t.Columns = append(t.Columns, p.Attributes[at].Column(levels))
	}
	return t
}

// Encode returns the catalogue of all allowed profiles, without enumerating them. It has a group of
// options for each attribute, or for attributes that forbidden combinations tie together, with an
// option for each allowed combination of their levels.
func (p *Profiles) Encode(e *encode.Encoding) (*choice.Catalogue, error) {
	var groups []choice.Group
	for _, tied := range p.tied() {
		group, err := p.group(e, tied)
		if err != nil {
			return nil, &table.Error{File: p.Source, Problem: table.Problemf("", "%v", err)}
		}
		groups = append(groups, group)
	}
	c, err := choice.NewProduct(groups)
	if refused, ok := errors.AsType[*choice.CatalogueError](err); ok {
		return nil, &table.Error{File: p.Source, Problem: table.Problemf("", "%s", refused.Problem)}
	}
	return c, err
}

// Values returns a function for each attribute that returns its level in a profile of the product
// that [Profiles.Encode] returned. They are safe for concurrent use.
func (p *Profiles) Values(product *choice.Product) []func(arm int) string {
	all := make([]func(arm int) string, len(p.Attributes))
	for g, tied := range p.tied() {
		combinations, err := p.allowed(tied)
		if err != nil {
			panic("product: the profiles are those of another product")
		}
		for i, at := range tied {
			levels := p.Attributes[at].Levels
			all[at] = func(arm int) string { return levels[combinations[product.Option(arm, g)][i]] }
		}
	}
	return all
}

// tied returns the groups of attributes that forbidden combinations tie together, in the order of
// their first attributes.
func (p *Profiles) tied() [][]int {
	with, places := make([]int, len(p.Attributes)), map[string]int{}
	for at, a := range p.Attributes {
		with[at], places[a.Name] = at, at
	}
	for _, combination := range p.Forbidden {
		first := with[places[combination[0].Attribute]]
		for _, part := range combination[1:] {
			other := with[places[part.Attribute]]
			for at := range with {
				if with[at] == first || with[at] == other {
					with[at] = min(first, other)
				}
			}
			first = min(first, other)
		}
	}
	var groups [][]int
	for first := range with {
		var group []int
		for at := range with {
			if with[at] == first {
				group = append(group, at)
			}
		}
		if group != nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// group returns the allowed combinations of levels of some attributes, encoded.
func (p *Profiles) group(e *encode.Encoding, attributes []int) (choice.Group, error) {
	combinations, err := p.allowed(attributes)
	if err != nil {
		return choice.Group{}, err
	}
	part := &encode.Encoding{Ball: e.Ball}
	for _, c := range e.Columns {
		if slices.ContainsFunc(attributes, func(at int) bool { return p.Attributes[at].Name == c.Column }) {
			part.Columns = append(part.Columns, c)
		}
	}
	cells, err := part.Cells(p.options(attributes, combinations))
	if err != nil {
		return choice.Group{}, err
	}
	group := choice.Group{Features: part.Features()}
	for _, levels := range combinations {
		option := make([]string, len(levels))
		for i, level := range levels {
			a := p.Attributes[attributes[i]]
			option[i] = a.Name + "=" + a.Levels[level]
		}
		row := make([]float64, len(group.Features))
		for k := range row {
			row[k] = float64(cells[k])
		}
		cells = cells[len(row):]
		group.Options, group.Rows = append(group.Options, strings.Join(option, ", ")), append(group.Rows, row)
	}
	return group, nil
}

// allowed returns the allowed combinations of levels of some attributes, the last attribute
// fastest. The attributes must include all that are tied to them.
func (p *Profiles) allowed(attributes []int) ([][]int, error) {
	names := make([]string, len(attributes))
	count := 1
	for i, at := range attributes {
		names[i] = p.Attributes[at].Name
		if count *= len(p.Attributes[at].Levels); count > maxTied && len(attributes) > 1 {
			return nil, fmt.Errorf("forbidden combinations tie %s together, with more than %d combinations of their levels",
				catalogue.Enumerate(names[:i+1], len(names)), maxTied)
		}
	}
	bans := p.bans(attributes)
	var combinations [][]int
	for number := range count {
		levels := p.combination(attributes, number)
		if !slices.ContainsFunc(bans, func(b ban) bool { return b.forbids(levels) }) {
			combinations = append(combinations, levels)
		}
	}
	if combinations == nil {
		return nil, fmt.Errorf("every combination of %s is forbidden", catalogue.Enumerate(names, len(names)))
	}
	return combinations, nil
}

// combination returns the levels in one of the combinations of some attributes, the last
// attribute fastest.
func (p *Profiles) combination(attributes []int, number int) []int {
	levels := make([]int, len(attributes))
	for i := len(attributes) - 1; i >= 0; i-- {
		count := len(p.Attributes[attributes[i]].Levels)
		levels[i] = number % count
		number /= count
	}
	return levels
}

// A ban is a forbidden combination: for each of its attributes in a group, the forbidden levels.
type ban map[int][]bool

// bans returns the bans of a group of tied attributes.
func (p *Profiles) bans(attributes []int) []ban {
	places := map[string]int{}
	for i, at := range attributes {
		places[p.Attributes[at].Name] = i
	}
	var bans []ban
	for _, combination := range p.Forbidden {
		if _, here := places[combination[0].Attribute]; !here {
			continue
		}
		b := ban{}
		for _, part := range combination {
			i := places[part.Attribute]
			levels := p.Attributes[attributes[i]].Levels
			b[i] = make([]bool, len(levels))
			for l, level := range levels {
				b[i][l] = slices.Contains(part.Levels, level)
			}
		}
		bans = append(bans, b)
	}
	return bans
}

// forbids reports whether a combination of levels is forbidden.
func (b ban) forbids(levels []int) bool {
	for i, among := range b {
		if !among[levels[i]] {
			return false
		}
	}
	return true
}

// Profiles are arms given by attributes and their levels, as in conjoint analysis: one arm for each
// allowed combination of levels.
type Profiles struct {
	Source     string        `json:"-"`
	Attributes []Attribute   `json:"attributes"`
	Forbidden  []Combination `json:"forbidden,omitempty"`
}

// An Attribute has a name and levels. Every profile has one of its levels.
type Attribute struct {
	Name   string         `json:"name"`
	Kind   catalogue.Kind `json:"kind"` // Number, Category or Boolean
	Levels []string       `json:"levels"`
}

// A Combination is forbidden in profiles: for each of its attributes, one of the listed levels.
type Combination []LevelSet

// A LevelSet is a set of levels of an attribute.
type LevelSet struct {
	Attribute string   `json:"attribute"`
	Levels    []string `json:"levels"`
}
