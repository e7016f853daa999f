package baseline_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/design"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/strategytest"
)

// loose settings stop early enough for the suite to see decisions and several batches. Kappa is not
// meant to be true.
var loose = baseline.Settings{Kappa: 20, Ridge: 1e-3, Epsilon: 3}

// answered returns the verdict after the answers of a respondent, when the strategy stops or at most a number of them.
func answered(t *testing.T, s strategy.Strategy, respondent crowd.Respondent, most int) strategy.Verdict {
	t.Helper()
	for range most {
		q, err := s.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		if err == nil {
			err = s.Tell(crowd.Answer(respondent, q, 1))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s.Verdict()
}

func TestConformance(t *testing.T) {
	sizes := map[string][]int{
		"random": {2, 3, 5}, "static": {2, 3, 5}, "adaptive": {2, 3, 5}, "glgape": {2}, "rage-glm": {2},
		"top-two": {2}, "trace-the-best": {2, 3},
	}
	questions := map[string]int{"rage-glm": 2500, "trace-the-best": 1000} // as many as their batches need
	for name, k := range sizes {
		t.Run(name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{
				New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
					settings := loose
					settings.K, settings.Seed = k, seed
					return baseline.New(name, c, settings)
				},
				K: k, Questions: max(questions[name], 400),
			})
		})
	}
	t.Run("glgape, own radius", func(t *testing.T) {
		strategytest.Run(t, strategytest.Subject{
			New: func(c *choice.Catalogue, _ int, seed uint64) (strategy.Strategy, error) {
				// Its radius is about ten times as wide.
				return baseline.New("glgape", c, baseline.Settings{Kappa: 200, Ridge: 1e-3, Seed: seed, Radius: baseline.KazerouniWein})
			},
			K: []int{2}, Questions: 400,
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
					return baseline.New("adaptive", c, settings)
				},
				K: []int{3}, Questions: 400,
			})
		})
	}
}

// TestBatchesDecide: the strategies with batches stop with the best arm where the gap is large.
func TestBatchesDecide(t *testing.T) {
	c := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {-1, 0}}))
	for _, name := range []string{"rage-glm", "trace-the-best", "top-two"} {
		s := must(baseline.New(name, c, baseline.Settings{K: 2, Epsilon: 1}))
		people := crowd.NewMNL(c, []float64{1, 3}, rand.New(rand.NewPCG(1, 1)))
		if v := answered(t, s, people, 1_000_000); v.Status != strategy.Decided || v.Leader != 1 {
			t.Errorf("%s: arm %d leads after %d answers, %v", name, v.Leader, v.Answered, v.Status)
		}
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
