package catalogue

import (
	"errors"
	"maps"
	"math"
	"slices"

	"bestpick/table"
)

// ReadLater reads arms that come later, with the kinds and the ids of the first. What is wrong
// with a column that the encoding does not use is no matter: the table is then read once more,
// and the column ignored.
func (s *Saved) ReadLater(options Options, read func(Options) (*Table, error)) (*Table, error) {
	e := s.Encoding
	kinds := e.Kinds()
	maps.Copy(kinds, options.Kinds)
	if e.IDColumn != "" && !slices.Contains(slices.Collect(maps.Values(kinds)), ID) {
		kinds[e.IDColumn] = ID
	}
	options.Kinds = kinds
	for {
		t, err := read(options)
		if err != nil {
			if ignoreUnused(err, options) {
				continue
			}
			return nil, err
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Kind.Feature() && e.coding(c.Name) == nil {
				c.Kind = Ignored
			}
		}
		return t, nil
	}
}

// ignoreUnused makes the columns that something is wrong with ignored, if they have no other
// kind, by choice or by name. It reports whether there are any.
func ignoreUnused(err error, options Options) bool {
	problems, several := errors.AsType[*Problems](err)
	if !several {
		return false
	}
	ignored := false
	for _, problem := range problems.List {
		at, placed := errors.AsType[*table.Error](problem)
		if !placed || at.Column == "" {
			continue
		}
		names := append(sortedKeys(options.Kinds), at.Column)
		if kinds := roles(names, options); kinds[len(names)-1] == Unknown {
			options.Kinds[at.Column] = Ignored
			ignored = true
		}
	}
	return ignored
}

// Extend returns the catalogue with the arms of a table after its own, encoded like them. It is
// for arms that are listed, not for a product.
func (s *Saved) Extend(t *Table) (*Encoded, error) {
	if s.Profiles != nil {
		panic("catalogue: a product has all its profiles already")
	}
	var problems Problems
	later := armIDs(t, &problems)
	for row, id := range later {
		if _, there := s.Arms.Index(id); there {
			problems.add(t.Source, t.Line(row), "", "an arm %q is there already", id)
		}
	}
	sources := s.Encoding.open(t, &problems)
	if err := problems.orNil(); err != nil {
		return nil, err
	}
	added, err := s.Encoding.cells(t, sources)
	if err != nil {
		return nil, err
	}
	first := s.Arms.Len()
	ids := make([]string, 0, first+len(later))
	cells := make([]float32, 0, first*s.Arms.Dim()+len(added))
	for i := range first {
		ids = append(ids, s.Arms.ID(i))
		for _, x := range s.Arms.Arm(i) {
			cells = append(cells, float32(x))
		}
	}
	arms, err := makeCatalogue(append(ids, later...), s.Arms.Features(), append(cells, added...))
	if err != nil {
		return nil, err
	}
	all := &Encoded{Saved: Saved{Encoding: s.Encoding, Arms: arms}, Table: t, Added: t.Len()}
	_, firstTexts := s.texts()
	_, allTexts := all.texts()
	for k, kind := range []Kind{Label, Description, Image} {
		*allTexts[k] = joined(*firstTexts[k], first, t.First(kind), t.Len())
	}
	for k := range s.Attributes {
		all.Attributes = append(all.Attributes, s.Attributes[k].extended(t))
	}
	all.Warnings = s.Encoding.laterWarnings(t, arms)
	return all, nil
}

// joined returns the texts of the first arms and of later ones, empty where there are none.
func joined(texts []string, first int, column *Column, later int) []string {
	if texts == nil && column == nil {
		return nil
	}
	all := make([]string, first+later)
	copy(all, texts)
	if column != nil {
		copy(all[first:], column.Texts)
	}
	return all
}

// warnOfBroken finds later arms for which what is left out does not follow from the rest as it
// did for the first.
func (e *Encoding) warnOfBroken(t *Table, id func(row int) string, add func(column, format string, arguments ...any)) {
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
		by := enumerate(e.reasons(c), mostNamed)
		if len(strange) > 0 {
			add(c.Column, "no arm of the study has %s; %s is left out, since it followed from %s", enumerate(strange, mostNamed), c.Column, by)
		}
		var broken []string
		own := c.alone().unscaled(&Table{Columns: []Column{legible}})
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
			add(c.Column, "%s of %s does not follow from %s as it does for the first arms, and is left out all the same", c.Column, enumerate(broken, mostNamed), by)
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
func (e *Encoding) unscaled(t *Table) []float64 {
	var features []float64
	eachBlock(e.open(t, &Problems{}), t.Len(), len(e.Features()), func(_ int, block []float64) {
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
func (c *Coding) legible(column *Column) (legible Column, rows []int, strange []string) {
	legible = Column{Name: c.Column, Kind: c.Kind}
	if c.Kind == Embedding {
		if column.Kind == Embedding && column.Width == c.Embedding.Width() {
			for row := range len(column.Vectors) / column.Width {
				rows = append(rows, row)
			}
			return *column, rows, nil
		}
		return legible, nil, nil
	}
	texts := column.Texts
	for _, x := range column.Numbers {
		texts = append(texts, shortest(x, 64))
	}
	for row, text := range texts {
		x, isNumber := table.ParseNumber(text)
		_, isTruth := booleanOf(text)
		isLevel := slices.Contains(c.Levels, text)
		switch {
		case c.Kind == Number && isNumber:
			legible.Numbers = append(legible.Numbers, x)
		case c.Kind == Boolean && isTruth || c.Kind == Category && isLevel:
			legible.Texts = append(legible.Texts, text)
		default:
			if level := c.Column + "=" + text; c.Kind == Category && !table.IsMissing(text) && !slices.Contains(strange, level) {
				strange = append(strange, level)
			}
			continue
		}
		rows = append(rows, row)
	}
	return legible, rows, strange
}
