package baseline_test

import (
	"errors"
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
)

// manyArms are more than all products are kept of, on the unit sphere, with copies.
func manyArms(t testing.TB, n int) *choice.Catalogue {
	t.Helper()
	rng := rand.New(rand.NewPCG(41, 42))
	ids, cells := make([]string, n), make([]float32, 0, 3*n)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
		if i%50 == 49 {
			cells = append(cells, cells[len(cells)-6:len(cells)-3]...)
			continue
		}
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		norm := math.Sqrt(x*x + y*y + z*z)
		cells = append(cells, float32(x/norm), float32(y/norm), float32(z/norm))
	}
	return must(choice.NewDense(ids, []string{"x", "y", "z"}, cells))
}

// manySettings are loose enough for the strategies to drop arms and to decide.
func manySettings() map[string]baseline.Settings {
	return map[string]baseline.Settings{
		"random":             {Kappa: 40, Ridge: 1e-3},
		"static":             {Kappa: 40, Ridge: 1e-3},
		"static, G":          {Kappa: 40, Ridge: 1e-3, Criterion: design.G},
		"static, ties sum":   {Kappa: 40, Ridge: 1e-3, Ties: design.TiesSum, Explore: -1},
		"adaptive":           {Kappa: 40, Ridge: 1e-3, Alpha: 0.5, Batches: baseline.Normalised},
		"adaptive, G":        {Kappa: 40, Ridge: 1e-3, Alpha: 0.5, Batches: baseline.Normalised, Criterion: design.G},
		"adaptive, ties sum": {Kappa: 40, Ridge: 1e-3, Alpha: 0.5, Batches: baseline.Normalised, Ties: design.TiesSum},
	}
}

func newOfMany(t testing.TB, c *choice.Catalogue, name string, settings baseline.Settings) strategy.Strategy {
	t.Helper()
	name, _, _ = strings.Cut(name, ",")
	return must(baseline.New(name, c, settings))
}

// TestManyArmsAreDecided: the strategies stop, with a good arm, copies of it or not. At these
// settings they stop early, so that it need not be the best.
func TestManyArmsAreDecided(t *testing.T) {
	c := manyArms(t, 2500)
	theta := []float64{6, 2, 0}
	utilities := make([]float64, c.Len())
	c.Multiply(utilities, theta)
	for name, settings := range manySettings() {
		t.Run(name, func(t *testing.T) {
			s := newOfMany(t, c, name, settings)
			respondent := crowd.NewMNL(c, theta, rand.New(rand.NewPCG(47, 48)))
			if v, most := answered(t, s, respondent, 4000), slices.Max(utilities); v.Status != strategy.Decided || !(utilities[v.Leader] > 0.9*most) {
				t.Errorf("%v after %d answers: %d contenders, utility %.3f of %.3f", v.Status, v.Answered, len(v.Contenders),
					utilities[v.Leader], most)
			}
		})
	}
}

func TestGLGapERefusesManyArms(t *testing.T) {
	_, err := baseline.New("glgape", manyArms(t, 2049), baseline.Settings{K: 2})
	if err == nil || !strings.Contains(err.Error(), "at most 2048 arms, got 2049") {
		t.Errorf("%v", err)
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
