package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

func catalogueOf(t *testing.T, rows [][]float64) *choice.Catalogue {
	t.Helper()
	ids, features := make([]string, len(rows)), make([]string, len(rows[0]))
	for i := range ids {
		ids[i] = fmt.Sprint("a", i)
	}
	for k := range features {
		features[k] = fmt.Sprint("x", k)
	}
	return must(choice.NewCatalogue(ids, features, rows))
}

// allPairs and allArms are the directions of the XY and of the G criterion.
func allPairs(c *choice.Catalogue) (contrasts []contrast) {
	for i := range c.Len() {
		for j := range i {
			contrasts = append(contrasts, contrast{i, j, 1})
		}
	}
	return contrasts
}

func allArms(c *choice.Catalogue) (contrasts []contrast) {
	for i := range c.Len() {
		contrasts = append(contrasts, contrast{i, -1, 1})
	}
	return contrasts
}

func normalRows(rng *rand.Rand, n, d int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		for range d {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	return rows
}

// TestOptimalWidthIsKnown: two unit vectors are shown half and half, where the width of their difference is
// 1/½ + 1/½ = 4; lengths 1 and 2 minimise 1/λ + 4/(4(1−λ)), which is 4 again; and by the theorem of Kiefer and
// Wolfowitz the value of the best G design is the dimension of what the arms span.
func TestOptimalWidthIsKnown(t *testing.T) {
	for _, rows := range [][][]float64{{{1, 0}, {0, 1}}, {{1, 0}, {0, 2}}} {
		c := catalogueOf(t, rows)
		value, _, err := optimalWidth(c, allPairs(c), 1e-6, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		approx.Equal(t, "value", value, 4, 1e-5)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	flat := normalRows(rng, 12, 4)
	for _, row := range flat {
		row[2], row[3] = row[0]+row[1], row[0]-row[1]
	}
	for rank, rows := range map[float64][][]float64{4: normalRows(rng, 12, 4), 5: normalRows(rng, 60, 5), 2: flat} {
		c := catalogueOf(t, rows)
		value, bound, err := optimalWidth(c, allArms(c), 0.01, 5000)
		if err != nil {
			t.Fatal(err)
		}
		approx.EqualRelative(t, "G", value, rank, 0.02)
		if !(value <= 1.0101*bound) {
			t.Errorf("rank %v: value %v, bound %v", rank, value, bound)
		}
	}
}

// TestOptimalWidthIsABound: no random shares have a value below the bound, which is within 2% of the value.
func TestOptimalWidthIsABound(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	c := catalogueOf(t, normalRows(rng, 12, 4))
	value, bound, err := optimalWidth(c, allPairs(c), 0.02, 20_000)
	if err != nil || !(value <= 1.0201*bound) || !(bound <= value*(1+1e-9)) {
		t.Fatalf("value %v, bound %v: %v", value, bound, err)
	}
	for range 200 {
		v := mat.NewSymDense(c.Dim(), nil)
		total := 0.0
		for a := range c.Len() {
			share := rng.ExpFloat64()
			total += share
			v.SymRankOne(v, share, mat.NewVecDense(c.Dim(), c.Arm(a)))
		}
		var inverse mat.Dense
		if err := inverse.Inverse(v); err != nil {
			t.Fatal(err)
		}
		widest := 0.0
		for _, pair := range allPairs(c) {
			var g mat.VecDense
			g.SubVec(mat.NewVecDense(c.Dim(), c.Arm(pair.arm)), mat.NewVecDense(c.Dim(), c.Arm(pair.against)))
			widest = max(widest, total*mat.Inner(&g, &inverse, &g))
		}
		if !(widest >= bound*(1-1e-6)) {
			t.Fatalf("random shares reach %v, below the bound %v", widest, bound)
		}
	}
}

// TestOptimalWidthDoesNotSeeUnits: features in other units, however small or large, have the same value.
func TestOptimalWidthDoesNotSeeUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	rows := normalRows(rng, 50, 4)
	width := func() float64 {
		c := catalogueOf(t, rows)
		value, _, err := optimalWidth(c, allPairs(c), 0.01, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	want := width()
	for _, unit := range []float64{1e-13, 1e6} {
		for _, row := range rows {
			row[2] *= unit
		}
		approx.EqualRelative(t, fmt.Sprint("in units of ", unit), width(), want, 0.011)
		for _, row := range rows {
			row[2] /= unit
		}
	}
	same := catalogueOf(t, [][]float64{{1, 2}, {1, 2}})
	if value, _, err := optimalWidth(same, allPairs(same), 0.1, 10); err == nil {
		t.Errorf("two equal arms have the value %v", value)
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

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
