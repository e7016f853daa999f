package theory

import (
	"fmt"
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
