//go:build long

package simulate_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/internal/approx"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
)

// meanQuestions runs a strategy on the paper's instance and returns the spread of
// its questions and how many runs were correct. It also fails the test where a run
// does not stop, or where the assumptions of the bound are said to hold.
func meanQuestions(
	t *testing.T, name string, settings baseline.Settings, d int, shift float64, noise crowd.Noise, runs int,
) (simulate.Spread, int) {
	t.Helper()
	instance := must(simulate.Soare(d, 0.01, shift))
	e := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			own := settings
			own.Seed = seed
			return baseline.New(name, instance.Catalogue, own)
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent {
			return crowd.NewRandomUtility(instance.Catalogue, instance.Theta, noise, rng)
		},
		Runs: runs, Seed: 1,
	}
	all := must(e.Run(t.Context()))
	s := simulate.Summarise(all)
	if s.Stopped != runs {
		t.Errorf("%s: %d of %d runs stopped", name, s.Stopped, runs)
	}
	bound := evidence.PaperBound{Dim: d, Arms: d + 1, Delta: 0.05, Kappa: 0.5}
	if a, ok := e.Assumptions(all[0], bound); !ok || a.Hold() {
		t.Errorf("%s: %v", name, a)
	}
	t.Logf("%s, d = %d, K = %d: %.0f ± %.0f questions, %d of %d correct", name, d, settings.WithDefaults().K, s.Questions.Mean,
		s.Questions.SE, s.Correct, runs)
	return s.Questions, s.Correct
}

// TestLongTable1 is the paper's Table 1: d = 7, K = 3, Gaussian noise. The paper has
// 181,370 ± 1,085 for random, 166,761 ± 893 for static and 23,916 ± 713 for adaptive
// questions. It does not say which α it used; 0.085 was chosen to meet its number, so
// the third line shows that the number can be met, not that α was this
// (docs/strategies.md has every setting).
func TestLongTable1(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings baseline.Settings
		paper    float64
		within   float64
	}{
		{"random", baseline.Settings{}, 181_370, 0.05},
		{"static", baseline.Settings{}, 166_761, 0.03},
		{"adaptive", baseline.Settings{Alpha: 0.085}, 23_916, 0.10},
	} {
		questions, correct := meanQuestions(t, c.name, c.settings, 7, 0, crowd.Gaussian(1), 20)
		approx.EqualRelative(t, c.name, questions.Mean, c.paper, c.within)
		if correct != 20 {
			t.Errorf("%s: %d of 20 correct", c.name, correct)
		}
	}
}

// TestLongAdaptiveNeedsATenth: with softmax picks, K = 3 and d = 9.
func TestLongAdaptiveNeedsATenth(t *testing.T) {
	static, _ := meanQuestions(t, "static", baseline.Settings{}, 9, 0, crowd.Gumbel, 10)
	adaptive, _ := meanQuestions(t, "adaptive", baseline.Settings{}, 9, 0, crowd.Gumbel, 20)
	if !(static.Mean >= 10*adaptive.Mean) {
		t.Errorf("static needs %.0f questions, adaptive %.0f", static.Mean, adaptive.Mean)
	}
}

// TestLongShift: adding 0.1 to every coordinate of θ* makes the last arm the best and
// changes next to nothing that can be seen in so few answers. The adaptive strategy
// is wrong in nearly every run, at δ = 0.05.
func TestLongShift(t *testing.T) {
	_, correct := meanQuestions(t, "adaptive", baseline.Settings{}, 7, 0.1, crowd.Gumbel, 20)
	if correct > 1 {
		t.Errorf("%d of 20 runs were correct: docs/guarantee.md says hardly any", correct)
	}
}
