package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestSolveGame: what one player can secure is what the other can hold it to.
func TestSolveGame(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	games := [][][]float64{
		{{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, // scissors, paper, stone: each a third
		{{3}},
		{{1, 1}, {1, 1}}, // all equal
		{{0, 1}, {0, 1}, {1, 0}},
	}
	for range 200 {
		n, m := 1+rng.IntN(30), 1+rng.IntN(40)
		game := make([][]float64, n)
		for i := range game {
			game[i] = make([]float64, m)
			for j := range game[i] {
				game[i][j] = math.Exp(3 * rng.NormFloat64())
			}
		}
		games = append(games, game)
	}
	for _, game := range games {
		rows, columns := solveGame(game)
		least, most := math.Inf(1), 0.0
		for j := range columns {
			sum := 0.0
			for i, share := range rows {
				sum += share * game[i][j]
			}
			least = min(least, sum)
		}
		for i := range rows {
			sum := 0.0
			for j, share := range columns {
				sum += share * game[i][j]
			}
			most = max(most, sum)
		}
		approx.EqualRelative(t, "value", least, most, 1e-7)
	}
	rows, _ := solveGame(games[0])
	approx.EqualSlices(t, "mix", rows, []float64{1. / 3, 1. / 3, 1. / 3}, 1e-12)
}

func TestExpSecond(t *testing.T) {
	for _, x := range []float64{-30, -3, -0.5, -0.11, -0.09, 0.05, 0.0999, 0.1001, 0.7, 4} {
		// Digits lost to the subtraction: 1e-16 in 1 of x²/2.
		approx.EqualRelative(t, "e^x − 1 − x", expSecond(x), math.Exp(x)-1-x, 1e-15/(x*x/2)*10+1e-13)
	}
	approx.EqualRelative(t, "small", expSecond(1e-9), 0.5e-18, 1e-8)
	approx.Equal(t, "zero", expSecond(0), 0, 0)
}

// TestDerivatives of the rate against finite differences.
func TestDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, form := range []Form{Exact, Quadratic} {
		for _, scale := range []float64{1e-3, 1, 5} {
			p := choice.Probabilities(nil, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), 0})
			v := make([]float64, 4)
			for i := range v {
				v[i] = scale * rng.NormFloat64()
			}
			slope, tilted := make([]float64, 4), make([]float64, 4)
			form.derivatives(p, v, slope, tilted)
			h := 1e-5 * scale
			for i := range v {
				at := func(x float64) float64 {
					moved := append([]float64(nil), v...)
					moved[i] += x
					return form.divergence(p, moved)
				}
				approx.Equal(t, "slope", slope[i], (at(h)-at(-h))/(2*h), 1e-6*scale)
				// The Hessian's diagonal is the variance of an indicator.
				approx.Equal(t, "curvature", tilted[i]*(1-tilted[i]), (at(h)-2*at(0)+at(-h))/(h*h), 1e-4)
			}
		}
	}
}

// TestRelaxationIsABound: no question exceeds it, for random mixes of alternatives.
func TestRelaxationIsABound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, form := range []Form{Exact, Quadratic} {
		for trial := range 30 {
			n := 6 + rng.IntN(6)
			a := &arms{form: form, k: 2 + trial%4}
			for range n {
				u := -2 * rng.Float64()
				a.utilities = append(a.utilities, u)
			}
			var mix []weighted
			for range 1 + trial%3 {
				shifts := make([]float64, n)
				for i := range shifts {
					shifts[i] = rng.NormFloat64()
				}
				mix = append(mix, weighted{rng.Float64(), shifts})
			}
			found, value := a.scan(mix)
			approx.EqualRelative(t, "the best question found", a.value(found[0], mix), value, 1e-12)
			if bound := a.relaxed(mix); !(bound >= value) {
				t.Errorf("K = %d: relaxed %v, a question has %v", a.k, bound, value)
			} else if !(bound <= 3*value) {
				t.Errorf("K = %d: relaxed %v is far above %v", a.k, bound, value)
			}
			for _, q := range a.search(mix) {
				if v := a.value(q, mix); !(v <= value*(1+1e-12)) {
					t.Errorf("search found %v, the best of all is %v", v, value)
				}
			}
		}
	}
}
