package encode

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/internal/catalogue"
)

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
