package baseline_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
)

func smallCatalogue(t testing.TB) *choice.Catalogue {
	t.Helper()
	return must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {0.5, 0.5}}))
}

func TestSettingsAreChecked(t *testing.T) {
	c := smallCatalogue(t)
	for want, s := range map[string]baseline.Settings{
		"K must be at least 2":          {K: 1},
		"δ must lie between 0 and 1":    {Delta: 1},
		"κ must be positive":            {Kappa: -1},
		"the ridge must be positive":    {Ridge: math.Inf(1)},
		"μ must be positive":            {Mu: math.NaN()},
		"α must lie between 0 and 1":    {Alpha: 1.5},
		"random questions at the start": {Explore: -2},
	} {
		for _, name := range []string{"random", "static", "adaptive"} {
			if _, err := baseline.New(name, c, s); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
	if _, err := baseline.New("best", c, baseline.Settings{}); err == nil {
		t.Error("an unknown strategy was made")
	}
	if _, err := baseline.New("glgape", c, baseline.Settings{K: 3}); err == nil {
		t.Error("glgape takes three arms")
	}
}

// TestDuplicatesOfTheBest: copies of the best arm do not keep a strategy from deciding.
func TestDuplicatesOfTheBest(t *testing.T) {
	c := must(choice.NewCatalogue([]string{"a", "b", "c", "d"}, []string{"x", "y"},
		[][]float64{{1, 0.1}, {0, 1}, {1, 0.1}, {0.2, 0}}))
	for _, name := range []string{"random", "static", "adaptive", "glgape", "top-two"} { // others take too many answers
		settings := baseline.Settings{Kappa: 3, K: 3}
		if name == "glgape" || name == "top-two" {
			settings.K = 2
		}
		s := must(baseline.New(name, c, settings))
		respondent := crowd.NewMNL(c, []float64{4, 0}, rand.New(rand.NewPCG(1, 1)))
		if v := answered(t, s, respondent, 20_000); v.Status == strategy.Asking || v.Leader != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestAdaptiveWaits: when all questions of a batch are out, Ask waits; the last
// answer opens the next batch, whichever it is.
func TestAdaptiveWaits(t *testing.T) {
	s := must(baseline.New("adaptive", smallCatalogue(t), baseline.Settings{Alpha: 0.5, Seed: 1}))
	for range 3 {
		var out []choice.Question
		for {
			q, err := s.Ask()
			if errors.Is(err, strategy.ErrWaiting) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, slices.Clone(q))
		}
		if len(out) < 6 {
			t.Fatalf("a batch of %d questions", len(out))
		}
		for i, q := range out {
			if i > 0 { // not before the last answer
				if _, err := s.Ask(); !errors.Is(err, strategy.ErrWaiting) {
					t.Fatalf("after %d of %d answers: %v", i, len(out), err)
				}
			}
			if err := s.Tell(choice.Answer{Question: q, Picks: []int{i % 3}}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
