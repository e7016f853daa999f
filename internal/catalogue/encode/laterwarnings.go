package encode

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// warnOfBroken finds later arms for which what is left out does not follow from the rest as it
// did for the first.
func (e *Encoding) warnOfBroken(t *catalogue.Table, id func(row int) string,
	add func(column, code, format string, arguments ...any),
) {
	const tolerance = 1e-4 // of the spread of a feature, which is about one
	if len(e.LeftOut) == 0 {
		return
	}
	places := map[string]int{}
	for k, name := range e.Features() {
		places[name] = k
	}
	kept := e.unscaled(t)
	for _, c := range e.Columns {
		column := t.Column(c.Column)
		if column == nil || !slices.ContainsFunc(c.Features, Feature.leftOut) {
			continue
		}
		legible, rows, strange := c.legible(column)
		by := catalogue.Enumerate(e.reasons(c), maxNamed)
		if len(strange) > 0 {
			add(c.Column, "new-level", "no arm of the study has %s; %s is left out, since it followed from %s",
				catalogue.Enumerate(strange, maxNamed), c.Column, by)
		}
		var broken []string
		own := c.alone().unscaled(&catalogue.Table{Columns: []catalogue.Column{legible}})
		for i, row := range rows {
			follows := true
			for k, f := range c.Features {
				sum := f.Offset
				for _, p := range f.Instead {
					sum += p.Weight * kept[row*len(places)+places[p.Feature]]
				}
				x := own[i*len(c.Features)+k]
				follows = follows && (!f.leftOut() || math.Abs(x-sum) <= tolerance*max(1, math.Abs(x)))
			}
			if !follows {
				broken = append(broken, id(row))
			}
		}
		if len(broken) > 0 {
			add(c.Column, "not-following", "%s of %s does not follow from %s as it does for the first arms, and is left out even so",
				c.Column, catalogue.Enumerate(broken, maxNamed), by)
		}
	}
}

// reasons returns the columns from which what is left out of one follows.
func (e *Encoding) reasons(c *Coding) []string {
	var names []string
	for _, d := range e.dependencesOf(c) {
		for _, name := range d.By {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unscaled returns the features of all arms before they are divided by Ball.
func (e *Encoding) unscaled(t *catalogue.Table) []float64 {
	var features []float64
	eachBlock(e.open(t, &catalogue.Problems{}), t.Len(), len(e.Features()), func(_ int, block []float64) {
		features = append(features, block...)
	})
	return features
}

// alone returns the encoding of one column with nothing left out.
func (c *Coding) alone() *Encoding {
	whole := *c
	whole.Features = nil
	return &Encoding{Ball: 1, Columns: []*Coding{whole.named()}}
}

// legible returns the rows of a column that can be encoded, which those of one that is left out
// need not be, and the levels that the first arms did not have.
func (c *Coding) legible(column *catalogue.Column) (legible catalogue.Column, rows []int, strange []string) {
	legible = catalogue.Column{Name: c.Column, Kind: c.Kind}
	if c.Kind == catalogue.Embedding {
		if column.Kind == catalogue.Embedding && column.Width == c.Embedding.Width() {
			for row := range len(column.Vectors) / column.Width {
				rows = append(rows, row)
			}
			return *column, rows, nil
		}
		return legible, nil, nil
	}
	texts := column.Texts
	for _, x := range column.Numbers {
		texts = append(texts, catalogue.Shortest(x, 64))
	}
	for row, text := range texts {
		if c.addLegible(&legible, text) {
			rows = append(rows, row)
			continue
		}
		if level := c.Column + "=" + text; c.Kind == catalogue.Category && !table.IsMissing(text) && !slices.Contains(strange, level) {
			strange = append(strange, level)
		}
	}
	return legible, rows, strange
}

// LaterWarnings does the same for a catalogue that ends with the arms of a table, whose first
// arms were encoded before. A level that a later arm has is never its alone.
func (e *Encoding) LaterWarnings(t *catalogue.Table, c *choice.Catalogue) []Warning {
	warnings := e.armWarnings(c, namesIn(t, c))
	add := adding(&warnings)
	id := func(row int) string { return c.ID(c.Len() - t.Len() + row) }
	sources := e.open(t, &catalogue.Problems{})
	warnOfOutliers(sources, id, add)
	for _, s := range sources {
		if s.coding.Kind == catalogue.Embedding {
			s.warnOfVarianceLost(add)
		}
	}
	e.warnOfBroken(t, id, add)
	return warnings
}

// addLegible adds a value to a column and reports whether it can be encoded.
func (c *Coding) addLegible(column *catalogue.Column, text string) bool {
	x, isNumber := table.ParseNumber(text)
	_, isTruth := catalogue.BooleanValue(text)
	switch {
	case c.Kind == catalogue.Number && isNumber:
		column.Numbers = append(column.Numbers, x)
	case c.Kind == catalogue.Boolean && isTruth, c.Kind == catalogue.Category && slices.Contains(c.Levels, text):
		column.Texts = append(column.Texts, text)
	default:
		return false
	}
	return true
}
