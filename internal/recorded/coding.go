package recorded

import (
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A Coding is how columns of a file become the features of the model: constants of alternatives, numbers, indicators of the
// levels of text columns except the base, and columns with a coefficient for each alternative.
type Coding struct {
	features     []feature
	alternatives levels // met so far
	column       string // of the alternatives
	wide         bool   // the file has a row for each task

	constants []string // alternatives with a constant
	all       bool     // all alternatives except the base have one
	base      string   // alternative; "" for the default
}

// A feature is one column of the file, or computed from some.
type feature struct {
	name       string
	column     int
	expression *expression // nil for a column
	forced     bool        // text by request
	text       bool
	line       int // of the row that decided it

	levels  levels // of text; the first is the base
	baseMet bool

	inUnits bool                    // the texts are numbers with units
	format  *catalogue.NumberFormat // of these numbers
	numbers []float64               // of the levels, if they are

	byAlternative bool // it has a coefficient for each alternative
	sameInTask    bool // it never differs between the alternatives of a task, so the base has no coefficient

	// zero has the alternatives for which it is always 0, such as those without a column in wide form, which
	// have no coefficient; nil if there are none, or all are.
	zero []bool
}

func newCoding(form LongForm) *Coding {
	c := &Coding{
		alternatives: newLevels(form.Alternatives...), column: form.Alternative, wide: len(form.Alternatives) > 0,
		constants: form.Constants, all: form.AllConstants, base: form.Base[form.Alternative],
	}
	for i, name := range slices.Concat(form.Features, form.ByAlternative) {
		f := feature{name: name, levels: newLevels(), byAlternative: i >= len(form.Features), sameInTask: true}
		f.inUnits = slices.Contains(form.Numbers, name)
		f.forced = f.inUnits
		if base, forced := form.Base[name]; forced {
			f.forced = true
			f.levels.add(base)
		}
		c.features = append(c.features, f)
	}
	return c
}

// needsAlternatives reports whether the features depend on the alternative.
func (c *Coding) needsAlternatives() bool {
	return c.all || len(c.constants) > 0 || slices.ContainsFunc(c.features, func(f feature) bool {
		return f.byAlternative || f.expression != nil && len(f.expression.alternatives()) > 0
	})
}

// baseAlternative returns the alternative without a constant and coefficients of its own: the one named,
// or else the first without a constant.
func (c *Coding) baseAlternative() int {
	if at, known := c.alternatives.numbers[c.base]; known {
		return at
	}
	at := slices.IndexFunc(c.alternatives.names, func(name string) bool { return !slices.Contains(c.constants, name) })
	return max(at, 0)
}

// withConstant returns the alternatives with a constant, in the order of their features.
func (c *Coding) withConstant() (alternatives []int) {
	if c.all {
		for at := range c.alternatives.names {
			if at != c.baseAlternative() {
				alternatives = append(alternatives, at)
			}
		}
		return alternatives
	}
	for _, name := range c.constants {
		alternatives = append(alternatives, c.alternatives.numbers[name])
	}
	return alternatives
}

// allConstants reports whether every alternative but one has a constant.
func (c *Coding) allConstants() bool {
	return len(c.withConstant()) == len(c.alternatives.names)-1 && c.needsAlternatives()
}

// hasCoefficient reports whether an alternative has coefficients of a feature that differ by alternative.
func (c *Coding) hasCoefficient(f *feature, alternative int) bool {
	if f.zero != nil && f.zero[alternative] {
		return false
	}
	return !f.sameInTask || alternative != c.baseAlternative()
}

// isNumber reports whether the feature is a number, not text with levels.
func (f *feature) isNumber() bool { return !f.text || f.inUnits }

// parseUnits parses the levels of a feature whose texts are numbers with units.
func (f *feature) parseUnits(r *table.Reader) error {
	format, are := catalogue.FormatOf(f.levels.names, false, false)
	f.format = format
	for _, level := range f.levels.names {
		x, ok := format.Parse(level)
		if !are || !ok {
			return r.ErrorAt(0, f.name, "%q is not a number with a unit like the others", level)
		}
		f.numbers = append(f.numbers, x)
	}
	return nil
}

// width returns the number of features of the model for one alternative.
func (f *feature) width() int {
	if f.isNumber() {
		return 1
	}
	return len(f.levels.names) - 1
}

// labels returns the names of the features of the model for one alternative.
func (f *feature) labels() (names []string) {
	if f.isNumber() {
		return []string{f.name}
	}
	for _, level := range f.levels.names[1:] {
		names = append(names, f.name+"="+level)
	}
	return names
}

// check returns an error if a level or an alternative of the form is not in the file.
func (c *Coding) check(r *table.Reader) error {
	named := slices.Clone(c.constants)
	if c.base != "" {
		named = append(named, c.base)
	}
	for i := range c.features {
		if e := c.features[i].expression; e != nil {
			named = append(named, e.alternatives()...)
		}
	}
	for _, name := range named {
		if _, met := c.alternatives.numbers[name]; !met {
			return r.ErrorAt(0, c.column, "no row has the alternative %q", name)
		}
	}
	for i := range c.features {
		f := &c.features[i]
		switch {
		case f.inUnits:
			if err := f.parseUnits(r); err != nil {
				return err
			}
		case !f.text:
		case !f.baseMet:
			return r.ErrorAt(0, f.name, "no row has the base level %q", f.levels.names[0])
		case len(f.levels.names) == 1:
			return r.ErrorAt(0, f.name, "every row has the same text %q", f.levels.names[0])
		}
	}
	return nil
}

// names returns the names of the features of the model: the constants, then the columns in the given order.
// A constant has the name of its alternative, with the name of the column in front if the alternative is a
// number or there is another feature of that name.
func (c *Coding) names(r *table.Reader) ([]string, error) {
	if err := c.check(r); err != nil {
		return nil, err
	}
	var names []string
	for i := range c.features {
		f := &c.features[i]
		if !f.byAlternative {
			names = append(names, f.labels()...)
			continue
		}
		for at, alternative := range c.alternatives.names {
			for _, label := range f.labels() {
				if c.hasCoefficient(f, at) {
					names = append(names, label+":"+alternative)
				}
			}
		}
	}
	var constants []string
	for _, at := range c.withConstant() {
		name := c.alternatives.names[at]
		if _, isNumber := table.ParseNumber(name); isNumber || slices.Contains(names, name) {
			name = c.column + "=" + name
		}
		constants = append(constants, name)
	}
	names = append(constants, names...)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, r.ErrorAt(0, "", "two parameters would be called %q", name)
		}
	}
	return names, nil
}

// maxLabels is the largest number of alternatives for which there is a model with constants only.
const maxLabels = 100

// addLabels adds the picks among the names of alternatives, from the alternatives in the matrix.
func (l *longReader) addLabels(c *Choices, place, sizes, ranks, kept []int) {
	names := l.matrix.alternatives.names
	if l.matrix.alternative < 0 || l.matrix.unlabelled || len(names) < 2 || len(names) > maxLabels {
		return
	}
	labels := make([]int, len(ranks))
	for row, numbers := range l.matrix.collected {
		if place[row] >= 0 {
			labels[place[row]] = int(numbers[len(numbers)-1])
		}
	}
	tally, picks, lastTask := choice.NewTally(len(names)), []int(nil), make([]int, len(names))
	first := 0
	for i, size := range sizes {
		for _, label := range labels[first : first+size] {
			if lastTask[label] == i+1 {
				return // two alternatives of a task have the same name
			}
			lastTask[label] = i + 1
		}
		picks = appendPicks(picks[:0], ranks[first:first+size])
		answer := choice.Answer{Question: labels[first : first+size], Picks: picks}
		if tally.AddWeighted(answer, l.tasks[kept[i]].weight) != nil {
			return // the records have the same problem, and explain it
		}
		first += size
	}
	c.Alternatives, c.Labels, c.AllConstants = names, tally, l.matrix.allConstants()
}

// levels are different texts, numbered in order of appearance.
type levels struct {
	names   []string
	numbers map[string]int
}

func newLevels(names ...string) levels {
	l := levels{numbers: map[string]int{}}
	for _, name := range names {
		l.add(name)
	}
	return l
}

// add returns the number of a text. A new text gets the next number.
func (l *levels) add(name string) int {
	at, known := l.numbers[name]
	if !known {
		name = strings.Clone(name)
		at = len(l.names)
		l.numbers[name] = at
		l.names = append(l.names, name)
	}
	return at
}

// A layout says where in a row of the model each alternative has its constant and its coefficients.
type layout struct {
	constants int
	constant  []int // by alternative, −1 for none
	blocks    []block
}

// A block is the place of a feature in a row of the model.
type block struct {
	text    bool
	numbers []float64 // of levels that are numbers with units

	width int   // per alternative
	units int   // how many alternatives have coefficients of their own; 1 if all have the same
	place []int // which of the units, by alternative, −1 for none; nil if all have the same
}

func (c *Coding) layout() layout {
	l := layout{constant: make([]int, len(c.alternatives.names))}
	for at := range l.constant {
		l.constant[at] = -1
	}
	for place, at := range c.withConstant() {
		l.constant[at] = place
		l.constants++
	}
	for i := range c.features {
		f := &c.features[i]
		b := block{text: f.text, numbers: f.numbers, width: f.width(), units: 1}
		if f.byAlternative {
			b.units = 0
			for at := range c.alternatives.names {
				if !c.hasCoefficient(f, at) {
					b.place = append(b.place, -1)
					continue
				}
				b.place = append(b.place, b.units)
				b.units++
			}
		}
		l.blocks = append(l.blocks, b)
	}
	return l
}

// width returns the length of a row of the model.
func (l *layout) width() int {
	width := l.constants
	for _, b := range l.blocks {
		width += b.units * b.width
	}
	return width
}

// fill fills a zero row of the model from a collected row: a number for each feature, then the alternative,
// −1 if it is not known.
func (l *layout) fill(row, collected []float64) {
	alternative := -1
	if len(collected) > len(l.blocks) {
		alternative = int(collected[len(l.blocks)])
	}
	if alternative >= 0 && l.constant[alternative] >= 0 {
		row[l.constant[alternative]] = 1
	}
	row = row[l.constants:]
	for i := range l.blocks {
		b := &l.blocks[i]
		place := 0
		if b.place != nil {
			place = b.place[alternative]
		}
		switch unit := row[max(place, 0)*b.width:]; {
		case place < 0:
		case b.numbers != nil:
			unit[0] = b.numbers[int(collected[i])]
		case !b.text:
			unit[0] = collected[i]
		case collected[i] > 0:
			unit[int(collected[i])-1] = 1
		}
		row = row[b.units*b.width:]
	}
}
