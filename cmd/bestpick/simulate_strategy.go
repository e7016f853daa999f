package main

import (
	"slices"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/racing"
)

// The strategies that commands treat specially.
const (
	certified    = "racing"
	pairsOnly    = "glgape"
	rageGLM      = "rage-glm"
	topTwo       = "top-two"
	traceTheBest = "trace-the-best"
)

// arms returns the number of arms in a question.
func (c *simulateCommand) arms() int {
	switch {
	case c.K != 0:
		return c.K
	case c.asksPairs():
		return 2
	}
	return racing.Settings{}.WithDefaults().K
}

// asksPairs reports whether the strategy asks about pairs only.
func (c *simulateCommand) asksPairs() bool {
	return c.Strategy == pairsOnly || c.Strategy == rageGLM || c.Strategy == topTwo
}

// newStrategy returns the strategy of one run.
func (c *simulateCommand) newStrategy(catalogue *choice.Catalogue, seed uint64) (strategy.Strategy, error) {
	if c.Strategy == certified {
		return racing.New(catalogue, c.racingSettings(seed))
	}
	return baseline.New(c.Strategy, catalogue, c.baselineSettings(seed))
}

func (c *simulateCommand) racingSettings(seed uint64) racing.Settings {
	s := racing.Settings{
		K: c.arms(), Delta: c.Delta, Epsilon: c.Epsilon, Budget: c.Budget, Verify: c.Verify, Fallback: c.Fallback, Top: c.top(), Seed: seed, Offer: c.offer(), Prior: c.prior, Model: racing.Model{
			Slots: slices.Contains(c.Model, "slots"), Intercepts: slices.Contains(c.Model, "intercepts"), Clicks: slices.Contains(c.Model, "clicks"),
		},
	}
	if c.Assume == string(strategy.Majority) {
		s.Assume = strategy.Majority
	}
	if slices.Contains(c.Model, "segments") {
		for _, name := range simulate.Segments() {
			s.Model.Segments = append(s.Model.Segments, racing.Segment{Name: name, Share: 0.5})
		}
	}
	return s
}

func (c *simulateCommand) baselineSettings(seed uint64) baseline.Settings {
	s := baseline.Settings{
		K: c.arms(), Delta: c.Delta, Kappa: c.Kappa, Ridge: c.Lambda, Mu: c.Mu, Explore: c.Explore, Alpha: c.Alpha, Epsilon: c.Epsilon, Seed: seed,
	}
	if c.Explore == 0 {
		s.Explore = -1
	}
	if c.Criterion == "g" {
		s.Criterion = design.G
	}
	if c.TieBreak == "sum" {
		s.Ties = design.TiesSum
	}
	if c.Rho == "normalised" {
		s.Batches = baseline.Normalised
	}
	if c.Radius == "kazerouni-wein" {
		s.Radius = baseline.KazerouniWein
	}
	return s
}
