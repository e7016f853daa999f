package catalogue

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Worth is what an estimate says of one level of a column: its utility against the average of the column,
// and the standard error of that. Levels of different columns can so be compared.
type Worth struct {
	Column string
	Level  string // of a Number the least and the greatest that an arm has; of a Boolean true or false
	Kind   Kind

	Utility float64
	Error   float64
}

// Worths returns what θ of the encoded features, with its covariance, means level by level. The average of a
// Number is that of the first arms, that of a Boolean half-way between true and false. What is left out has no
// worth of its own, as in [Encoding.Effects], and an Embedding has no levels.
func (s *Saved) Worths(theta []float64, covariance mat.Symmetric) []Worth {
	e := s.Encoding
	if n := len(e.Features()); len(theta) != n || covariance.SymmetricDim() != n {
		panic("catalogue: the estimate is of other features")
	}
	var worths []Worth
	first := 0
	for _, c := range e.Columns {
		kept := 0
		for _, f := range c.Features {
			if !f.leftOut() {
				kept++
			}
		}
		for _, level := range s.levels(c) {
			weights := make([]float64, len(theta))
			for k, w := range level.weights {
				weights[first+k] = w / e.Ball
			}
			v := mat.NewVecDense(len(weights), weights)
			worths = append(worths, Worth{
				Column: c.Column, Level: level.name, Kind: c.Kind,
				Utility: mat.Dot(v, mat.NewVecDense(len(theta), theta)), Error: math.Sqrt(max(0, mat.Inner(v, covariance, v))),
			})
		}
		first += kept
	}
	return worths
}

// A weighedLevel is a level with what it adds to the features of its column that are kept.
type weighedLevel struct {
	name    string
	weights []float64
}

// levels returns the levels of a column that have a worth.
func (s *Saved) levels(c *Coding) []weighedLevel {
	if !c.needed() {
		return nil
	}
	switch c.Kind { //nolint:exhaustive // only features have levels, and embeddings none
	case Number:
		return s.ends(c)
	case Boolean:
		return s.truths(c)
	case Category:
		return c.weighedLevels()
	}
	return nil
}

// ends are the least and the greatest number that an arm has, as the owner writes them.
func (s *Saved) ends(c *Coding) []weighedLevel {
	var least, greatest weighedLevel
	column := s.ownColumn(c.Column)
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

// truths are true and false, as the owner writes them first.
func (s *Saved) truths(c *Coding) []weighedLevel {
	levels := []weighedLevel{{weights: []float64{1}}, {weights: []float64{-1}}}
	for _, text := range s.ownColumn(c.Column).Texts {
		level := &levels[1]
		if truth, ok := booleanOf(text); ok && truth {
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

// ownColumn returns the owner's column with a name: of a product, a row for each level.
func (s *Saved) ownColumn(name string) *Column {
	for k := range s.Attributes {
		if s.Attributes[k].Name == name {
			return &s.Attributes[k]
		}
	}
	if s.Profiles != nil {
		for _, a := range s.Profiles.Attributes {
			if a.Name == name {
				all := make([]int, len(a.Levels))
				for l := range all {
					all[l] = l
				}
				column := a.column(all)
				return &column
			}
		}
	}
	return &Column{}
}

// weighedLevels are those of a category: the last has minus the sum of the others.
func (c *Coding) weighedLevels() []weighedLevel {
	kept := 0
	for _, f := range c.Features {
		if !f.leftOut() {
			kept++
		}
	}
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
