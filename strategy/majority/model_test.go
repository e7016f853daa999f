package majority

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/strategy/internal/survey"
)

// TestResiduals: the prior variance of the difference of any two utilities is that of features and residuals that are
// orthogonal to them, also where features tell all arms apart.
func TestResiduals(t *testing.T) {
	const n = 6
	rng := rand.New(rand.NewPCG(1, 1))
	for _, features := range []int{2, n} {
		ids, rows := make([]string, n), make([][]float64, n)
		for i := range rows {
			ids[i] = strconv.Itoa(i)
			for range features {
				rows[i] = append(rows[i], rng.NormFloat64())
			}
		}
		c, err := choice.NewCatalogue(ids, ids[:features], rows)
		if err != nil {
			t.Fatal(err)
		}
		white, err := choice.Whiten(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, scale := range residualScales() {
			orthogonal, err := survey.WithIntercepts(white, scale)
			if err != nil {
				t.Fatal(err)
			}
			made := withResiduals(white, scale)
			for i := range n {
				for j := range i {
					what := fmt.Sprintf("difference of arms %d and %d, %d features, scale %v", i, j, features, scale)
					approx.Equal(t, what, floats.Distance(made.Arm(i), made.Arm(j), 2),
						floats.Distance(orthogonal.Arm(i), orthogonal.Arm(j), 2), 1e-9)
				}
			}
		}
	}
}
