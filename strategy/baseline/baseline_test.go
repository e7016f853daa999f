package strategy_test

import (
	"testing"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/strategy"
	"bestpick/strategy/strategytest"
)

// loose settings stop early enough for the suite to see decisions and several
// batches. Kappa is not meant to be true.
var loose = strategy.Settings{Kappa: 20, Ridge: 1e-3}

func TestConformance(t *testing.T) {
	variants := map[string]strategy.Settings{
		"random": loose, "static": loose, "adaptive": loose, "glgape": loose, "racing": {Delta: 0.1},
	}
	sizes := map[string][]int{"random": {2, 3, 5}, "static": {2, 3, 5}, "adaptive": {2, 3, 5}, "glgape": {2}, "racing": {2, 3}}
	for name, settings := range variants {
		t.Run(name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{
				New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
					settings.K, settings.Seed = k, seed
					return strategy.New(name, c, settings)
				},
				K: sizes[name], Questions: 400,
			})
		})
	}
	for name, change := range map[string]func(*strategy.Settings){
		"G":          func(s *strategy.Settings) { s.Criterion = design.G },
		"ties sum":   func(s *strategy.Settings) { s.Ties = design.TiesSum },
		"normalised": func(s *strategy.Settings) { s.Batches, s.Alpha = strategy.Normalised, 0.5 },
		"no explore": func(s *strategy.Settings) { s.Explore = -1 },
	} {
		t.Run("adaptive, "+name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{
				New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
					settings := loose
					settings.K, settings.Seed = k, seed
					change(&settings)
					return strategy.NewAdaptive(c, settings)
				},
				K: []int{3}, Questions: 400,
			})
		})
	}
	t.Run("racing, of a product and of very many", func(t *testing.T) {
		strategytest.Run(t, strategytest.Subject{
			New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
				return strategy.NewRacing(c, strategy.Settings{K: k, Seed: seed, Delta: 0.1})
			},
			K: []int{3}, Questions: 70, Instances: map[string]strategytest.Instance{
				"a product":   productOf(t, 3, 2, 4),
				"two by two":  productOf(t, 2, 2),
				"a large one": productOf(t, 5, 5, 5, 5, 5),
				"very many":   veryMany(t, 5000, 3),
			},
		})
	})
	for name, settings := range map[string]strategy.Settings{
		"slots":      {Model: strategy.Model{Slots: true}},
		"intercepts": {Model: strategy.Model{Intercepts: true}},
		"clicks":     {Model: strategy.Model{Clicks: true, Slots: true}},
		"verify":     {Verify: 0.5},
	} {
		t.Run("racing, "+name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{
				New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
					settings.K, settings.Seed, settings.Delta = k, seed, 0.1
					return strategy.NewRacing(c, settings)
				},
				K: []int{3}, Questions: 400,
			})
		})
	}
}
