package catalogue

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/table"
)

// mostTied is how many combinations attributes may have that forbidden ones tie together.
const mostTied = 4096

// NewProductEncoding learns how the levels of attributes become features, as [NewEncoding] does
// from arms: every level counts once. Ball is the length of the longest profile if nothing were
// forbidden.
func NewProductEncoding(p *Profiles) (*Encoding, error) {
	e := &Encoding{Version: version}
	var problems Problems
	square := 0.0
	for _, tied := range p.tied() {
		for _, at := range tied {
			t := p.levels(at)
			coding := learn(t, &t.Columns[0], 1, &problems)
			if coding == nil {
				e.LeftOut = append(e.LeftOut, Dependence{Name: t.Columns[0].Name})
				continue
			}
			e.Columns = append(e.Columns, coding)
			longest := 0.0
			for _, row := range coding.levelRows(t, &problems) {
				length := 0.0
				for _, x := range row {
					length += x * x
				}
				longest = max(longest, length)
			}
			square += longest
		}
	}
	if err := problems.orNil(); err != nil {
		return nil, err
	}
	if err := e.checkNames(); err != nil {
		return nil, &table.Error{File: p.Source, Problem: err.Error()}
	}
	if len(e.Columns) == 0 {
		return nil, &table.Error{File: p.Source, Problem: "the profiles do not differ: every attribute has one level"}
	}
	e.Ball = math.Sqrt(square) * (1 + 0x1p-22) // see longest
	return e, nil
}

// levels returns a table with one row for each level of an attribute.
func (p *Profiles) levels(at int) *Table {
	a := p.Attributes[at]
	column := Column{Name: a.Name, Kind: a.Kind, Texts: a.Levels}
	if a.Kind == Number {
		column.Texts = nil
		for _, level := range a.Levels {
			x, err := parseLevel(level)
			if err != nil {
				x = math.NaN()
			}
			column.Numbers = append(column.Numbers, x)
		}
	}
	return &Table{Source: p.Source, Columns: []Column{column}}
}

// levelRows returns the features of every level, before they are divided by Ball.
func (c *Coding) levelRows(t *Table, problems *Problems) [][]float64 {
	s := source{coding: c, column: &t.Columns[0]}
	for k := range c.Features {
		s.places = append(s.places, k)
	}
	s.check(t, problems)
	n, width := t.Len(), len(c.Features)
	block := make([]float64, n*width)
	s.fill(block, width, 0, n)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = block[i*width : (i+1)*width]
	}
	return rows
}

// Encode returns the catalogue of all profiles that are not forbidden, which are never
// enumerated: a group of options for each attribute, or for attributes that forbidden
// combinations tie together, with an option for each combination of theirs that is allowed.
func (p *Profiles) Encode(e *Encoding) (*choice.Catalogue, error) {
	var groups []choice.Group
	for _, tied := range p.tied() {
		group, err := p.group(e, tied)
		if err != nil {
			return nil, &table.Error{File: p.Source, Problem: err.Error()}
		}
		groups = append(groups, group)
	}
	c, err := choice.NewProduct(groups)
	if refused, ok := errors.AsType[*choice.CatalogueError](err); ok {
		return nil, &table.Error{File: p.Source, Problem: refused.Problem}
	}
	return c, err
}

// tied returns the attributes, together where a forbidden combination names them together, in
// the order of the first.
func (p *Profiles) tied() [][]int {
	with := make([]int, len(p.Attributes))
	for at := range with {
		with[at] = at
	}
	for _, combination := range p.Forbidden {
		first := with[p.attribute(combination[0].Attribute)]
		for _, part := range combination[1:] {
			other := with[p.attribute(part.Attribute)]
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

// group returns the allowed combinations of levels of some attributes.
func (p *Profiles) group(e *Encoding, attributes []int) (choice.Group, error) {
	var group choice.Group
	rows := make([][][]float64, len(attributes))
	names := make([]string, len(attributes))
	combinations := 1
	for i, at := range attributes {
		names[i] = p.Attributes[at].Name
		if combinations *= len(p.Attributes[at].Levels); combinations > mostTied && len(attributes) > 1 {
			return group, fmt.Errorf("forbidden combinations tie %s together, with more than %d combinations of their levels", enumerate(names[:i+1], len(names)), mostTied)
		}
		c := e.coding(names[i])
		rows[i] = make([][]float64, len(p.Attributes[at].Levels))
		if c == nil {
			continue // it has one level
		}
		var problems Problems
		rows[i] = c.levelRows(p.levels(at), &problems)
		if err := problems.orNil(); err != nil {
			return group, err
		}
		for _, f := range c.Features {
			group.Features = append(group.Features, f.Name)
		}
	}
	for number := range combinations {
		levels := p.combination(attributes, number)
		if p.forbids(attributes, levels) {
			continue
		}
		var row []float64
		option := make([]string, len(levels))
		for i, level := range levels {
			option[i] = names[i] + "=" + p.Attributes[attributes[i]].Levels[level]
			for _, x := range rows[i][level] {
				row = append(row, float64(float32(x/e.Ball)))
			}
		}
		group.Options, group.Rows = append(group.Options, strings.Join(option, ", ")), append(group.Rows, row)
	}
	if len(group.Options) == 0 {
		return group, fmt.Errorf("every combination of %s is forbidden", enumerate(names, len(names)))
	}
	return group, nil
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

// forbids reports whether a combination of levels of some attributes is forbidden. All that are
// tied to them are among them.
func (p *Profiles) forbids(attributes, levels []int) bool {
	return slices.ContainsFunc(p.Forbidden, func(combination Combination) bool {
		for _, part := range combination {
			i := slices.Index(attributes, p.attribute(part.Attribute))
			if i < 0 || !slices.Contains(part.Levels, p.Attributes[attributes[i]].Levels[levels[i]]) {
				return false
			}
		}
		return true
	})
}

// coding returns that of a column, nil where it has none.
func (e *Encoding) coding(column string) *Coding {
	for _, c := range e.Columns {
		if c.Column == column {
			return c
		}
	}
	return nil
}
