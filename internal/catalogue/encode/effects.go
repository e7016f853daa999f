package encode

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/internal/catalogue"
)

// An Effect is an estimated effect of a column, or of one of its levels, in the user's units.
type Effect struct {
	Column string         `json:"column"`
	Level  string         `json:"level,omitempty"` // of a Category; (missing) for arms without a value
	Kind   catalogue.Kind `json:"kind"`

	// Utility is the utility of one unit of a Number, of true against false, or of a level against
	// the average of the levels. For an Embedding it is the utility of one unit of its features in
	// the direction of steepest increase.
	Utility float64 `json:"utility"`
}

// String returns the effect in one line: "price −0.31 per unit", "brand=acme +0.8 against average".
func (e Effect) String() string {
	utility := strings.ReplaceAll(fmt.Sprintf("%+.3g", e.Utility), "-", "−")
	if e.Level != "" && e.Kind != catalogue.Category {
		return fmt.Sprintf("%s=%s %s against the mean", e.Column, e.Level, utility)
	}
	switch e.Kind { //nolint:exhaustive // only features have effects
	case catalogue.Number:
		return fmt.Sprintf("%s %s per unit", e.Column, utility)
	case catalogue.Boolean:
		return fmt.Sprintf("%s %s true against false", e.Column, utility)
	case catalogue.Category:
		return fmt.Sprintf("%s=%s %s against average", e.Column, e.Level, utility)
	default:
		return fmt.Sprintf("%s %s per unit in its best direction", e.Column, utility)
	}
}

// Effects expresses θ of the encoded features in the user's columns. Omitted features have no
// separate effect: the effects of the columns that determine them include theirs.
func (e *Encoding) Effects(theta []float64) []Effect {
	if len(theta) != len(e.Features()) {
		panic(fmt.Sprintf("encode: %d utilities for %d features", len(theta), len(e.Features())))
	}
	var effects []Effect
	for _, c := range e.Columns {
		own := theta[:c.kept()]
		theta = theta[len(own):]
		if c.Kind == catalogue.Embedding && len(own) > 0 {
			effects = append(effects, Effect{Column: c.Column, Kind: c.Kind, Utility: floats.Norm(own, 2) / e.Ball})
			continue
		}
		for _, level := range c.units() {
			utility := floats.Dot(level.weights, own[:len(level.weights)]) / e.Ball
			effects = append(effects, Effect{c.Column, level.name, c.Kind, utility})
		}
	}
	return effects
}

// units returns what a column has effects of: a unit of a Number, true against false, or levels.
func (c *Coding) units() []weighedLevel {
	switch {
	case !c.needed():
		return nil
	case c.Kind == catalogue.Number:
		return c.withMissing([]weighedLevel{{"", []float64{1 / c.Scale}}})
	case c.Kind == catalogue.Boolean:
		return c.withMissing([]weighedLevel{{"", []float64{2}}})
	}
	return c.weighedLevels()
}

// Theta is the inverse of [Encoding.Effects]: it returns the θ of the encoded features for
// utilities of columns ("price", "wifi"), of levels ("brand=acme") and of the components of an
// embedding ("e[1]"). The default utility is zero. Only the differences between levels of a
// category matter: they are relative to their average. Omitted columns are expressed by the columns
// that determine them.
func (e *Encoding) Theta(utilities map[string]float64) ([]float64, error) {
	if err := e.checkUtilities(utilities); err != nil {
		return nil, err
	}
	features := e.Features()
	place := make(map[string]int, len(features))
	for k, name := range features {
		place[name] = k
	}
	theta := make([]float64, len(features))
	for _, c := range e.Columns {
		for k, u := range c.perUnit(utilities) {
			f := c.Features[k]
			if !f.leftOut() {
				theta[place[f.Name]] += u * e.Ball
			}
			for _, p := range f.Instead {
				theta[place[p.Feature]] += u * p.Weight * e.Ball
			}
		}
	}
	return theta, nil
}

// perUnit returns the utilities of a column's features, before the division by Ball.
func (c *Coding) perUnit(utilities map[string]float64) []float64 {
	var given []float64
	sum := 0.0
	for _, name := range c.names() {
		given = append(given, utilities[name])
		sum += utilities[name]
	}
	switch c.Kind { //nolint:exhaustive // only features are encoded
	case catalogue.Number:
		given[0] *= c.Scale
	case catalogue.Boolean:
		given[0] /= 2
	case catalogue.Category:
		for l := range given {
			given[l] -= sum / float64(len(c.Levels))
		}
		given = given[:len(c.Features)]
	}
	return given
}

// checkUtilities returns an error for unknown names and invalid utilities.
func (e *Encoding) checkUtilities(utilities map[string]float64) error {
	const maxListed = 20
	var known []string
	for _, c := range e.Columns {
		known = append(known, c.names()...)
	}
	var wrong []string
	for name, utility := range utilities {
		switch {
		case !slices.Contains(known, name):
			wrong = append(wrong, fmt.Sprintf("%q is no column or level in which the arms differ", name))
		case utility-utility != 0:
			wrong = append(wrong, fmt.Sprintf("the utility of %q is %v", name, utility))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("%s; there are %s", strings.Join(wrong, "; "), catalogue.Enumerate(known, maxListed))
}

// A PartWorth is the utility of one level of a column relative to the average of the column, with
// its standard error. So levels of different columns can be compared.
type PartWorth struct {
	Column string
	Level  string // for a Number, the minimum and the maximum over the arms; for a Boolean, true or false
	Kind   catalogue.Kind

	Utility float64
	Error   float64
}

// PartWorths returns the part-worths of an estimate θ of the encoded features, with its covariance.
// The average of a Number is the mean of the first arms, that of a Boolean is half-way between true
// and false. Omitted levels have no part-worth, as in [Encoding.Effects], and neither has an
// Embedding. column returns the column with a name and the values of all arms.
func (e *Encoding) PartWorths(theta []float64, covariance mat.Symmetric, column func(name string) *catalogue.Column) []PartWorth {
	if n := len(e.Features()); len(theta) != n || covariance.SymmetricDim() != n {
		panic("encode: the estimate is of other features")
	}
	var worths []PartWorth
	first := 0
	for _, c := range e.Columns {
		for _, level := range c.levels(column) {
			weights := make([]float64, len(theta))
			for k, w := range level.weights {
				weights[first+k] = w / e.Ball
			}
			v := mat.NewVecDense(len(weights), weights)
			worths = append(worths, PartWorth{
				Column: c.Column, Level: level.name, Kind: c.Kind,
				Utility: mat.Dot(v, mat.NewVecDense(len(theta), theta)), Error: math.Sqrt(max(0, mat.Inner(v, covariance, v))),
			})
		}
		first += c.kept()
	}
	return worths
}

// A weighedLevel is a level with its weights in the remaining features of its column.
type weighedLevel struct {
	name    string
	weights []float64
}

// levels returns the levels of a column that have a part-worth.
func (c *Coding) levels(column func(name string) *catalogue.Column) []weighedLevel {
	if !c.needed() {
		return nil
	}
	switch c.Kind { //nolint:exhaustive // only features have levels, and embeddings none
	case catalogue.Number:
		return c.withMissing(c.ends(column(c.Column)))
	case catalogue.Boolean:
		return c.withMissing(c.truths(column(c.Column)))
	case catalogue.Category:
		return c.weighedLevels()
	}
	return nil
}

// withMissing returns the levels of a column with that of arms without a value, if it has any.
func (c *Coding) withMissing(levels []weighedLevel) []weighedLevel {
	if !c.Missing {
		return levels
	}
	if c.Features[0].leftOut() {
		return []weighedLevel{{catalogue.MissingLevel, []float64{1}}}
	}
	if c.Features[1].leftOut() {
		return levels
	}
	return append(levels, weighedLevel{catalogue.MissingLevel, []float64{0, 1}})
}

// ends returns the minimum and the maximum over the arms, as the owner writes them.
func (c *Coding) ends(column *catalogue.Column) []weighedLevel {
	var least, greatest weighedLevel
	for row, x := range column.Numbers {
		if math.IsNaN(x) {
			continue
		}
		weight := (x - c.Mean) / c.Scale
		if least.weights == nil || weight < least.weights[0] {
			least = weighedLevel{column.Text(row), []float64{weight}}
		}
		if greatest.weights == nil || weight > greatest.weights[0] {
			greatest = weighedLevel{column.Text(row), []float64{weight}}
		}
	}
	if least.weights == nil {
		return nil
	}
	return []weighedLevel{least, greatest}
}

// truths returns true and false, as the owner first writes them.
func (c *Coding) truths(column *catalogue.Column) []weighedLevel {
	levels := []weighedLevel{{weights: []float64{1}}, {weights: []float64{-1}}}
	for _, text := range column.Texts {
		truth, ok := catalogue.BooleanValue(text)
		if !ok {
			continue
		}
		level := &levels[1]
		if truth {
			level = &levels[0]
		}
		if level.name == "" {
			level.name = text
		}
		if levels[0].name != "" && levels[1].name != "" {
			break
		}
	}
	return levels
}

// weighedLevels returns the levels of a category. The last has minus the sum of the others.
func (c *Coding) weighedLevels() []weighedLevel {
	kept := c.kept()
	last := weighedLevel{c.Levels[len(c.Features)], make([]float64, kept)}
	var levels []weighedLevel
	for l, f := range c.Features {
		if f.leftOut() {
			continue
		}
		weights := make([]float64, kept)
		weights[len(levels)], last.weights[len(levels)] = 1, -1
		levels = append(levels, weighedLevel{c.Levels[l], weights})
	}
	return append(levels, last)
}
