package baseline_test

import (
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
