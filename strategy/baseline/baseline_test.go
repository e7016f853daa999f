package baseline_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
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

// TestTooManyArms: every strategy names its limit, and racing as the way out.
func TestTooManyArms(t *testing.T) {
	arms := func(n int) *choice.Catalogue {
		ids, rows := make([]string, n), make([][]float64, n)
		for i := range rows {
			ids[i], rows[i] = strconv.Itoa(i), []float64{1 / float64(i+1)}
		}
		return must(choice.NewCatalogue(ids, []string{"x"}, rows))
	}
	for name, most := range map[string]int{
		"random": 2048, "static": 2048, "adaptive": 2048, "glgape": 2048, "rage-glm": 256, "top-two": 2048, "trace-the-best": 2048,
	} {
		_, err := baseline.New(name, arms(most+1), baseline.Settings{Epsilon: 1})
		want := fmt.Sprintf("%s takes at most %d arms, got %d; use racing for more arms", name, most, most+1)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	q, err := must(baseline.New("static", arms(2048), baseline.Settings{Explore: -1, Criterion: design.G})).Ask()
	if err != nil || len(q) != 3 {
		t.Errorf("2,048 arms: %v, %v", q, err)
	}
}

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

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
