package baseline

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/internal/approx"
)

// TestDistancesEqualSolvedNorms: both ways to compute norms under a V agree, and copies have
// none between them.
func TestDistancesEqualSolvedNorms(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	const d = 3
	rows, ids := make([][]float64, design.MaxProducts+1), make([]string, design.MaxProducts+1)
	for i := range rows {
		ids[i] = fmt.Sprint("a", i)
		for range d {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	rows[7] = rows[5]
	few, err := choice.NewCatalogue(ids[:100], []string{"x", "y", "z"}, rows[:100])
	if err != nil {
		t.Fatal(err)
	}
	many, err := choice.NewCatalogue(ids, []string{"x", "y", "z"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	v := mat.NewSymDense(d, []float64{1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e-4})
	for range 10 {
		addOuter(v, rows[rng.IntN(len(rows))], nil)
	}
	all, single := normsOf(many, v), normsOf(few, v)
	for range 50 {
		i := rng.IntN(100)
		for j := range 100 {
			approx.Equal(t, "gap", all.Gap(i, j), single.Gap(i, j), 1e-12)
		}
	}
	if all.Gap(5, 7) != 0 || all.Gap(5, 5) != 0 {
		t.Errorf("copies are %g apart", all.Gap(5, 7))
	}
}
