package baseline_test

import (
	"testing"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/strategytest"
)

// loose settings stop early enough for the suite to see decisions and several batches. Kappa is not
// meant to be true.
var loose = baseline.Settings{Kappa: 20, Ridge: 1e-3}

func TestConformance(t *testing.T) {
	sizes := map[string][]int{"random": {2, 3, 5}, "static": {2, 3, 5}, "adaptive": {2, 3, 5}, "glgape": {2}}
	for _, name := range baseline.Names() {
		t.Run(name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{
				New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
					settings := loose
					settings.K, settings.Seed = k, seed
					return baseline.New(name, c, settings)
				},
				Restore: baseline.Restore, K: sizes[name], Questions: 400,
			})
		})
	}
	t.Run("glgape, own radius", func(t *testing.T) {
		strategytest.Run(t, strategytest.Subject{
			New: func(c *choice.Catalogue, _ int, seed uint64) (strategy.Strategy, error) {
				// Its radius is about ten times as wide.
				return baseline.NewGLGapE(c, baseline.Settings{Kappa: 200, Ridge: 1e-3, Seed: seed, Radius: baseline.KazerouniWein})
			},
			Restore: baseline.Restore, K: []int{2}, Questions: 400,
		})
	})
	for name, change := range map[string]func(*baseline.Settings){
		"G":          func(s *baseline.Settings) { s.Criterion = design.G },
		"ties sum":   func(s *baseline.Settings) { s.Ties = design.TiesSum },
		"normalised": func(s *baseline.Settings) { s.Batches, s.Alpha = baseline.Normalised, 0.5 },
		"no explore": func(s *baseline.Settings) { s.Explore = -1 },
	} {
		t.Run("adaptive, "+name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{
				New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
					settings := loose
					settings.K, settings.Seed = k, seed
					change(&settings)
					return baseline.NewAdaptive(c, settings)
				},
				Restore: baseline.Restore, K: []int{3}, Questions: 400,
			})
		})
	}
}
