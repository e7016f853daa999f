package design

import (
	"math/rand/v2"
	"testing"

	"bestpick/internal/approx"
)

// TestWidestWithAnOutsideAlternative: an alternative beside the arms counts like an arm that every
// question shows, and among all questions of few arms none is much wider than the one found.
func TestWidestWithAnOutsideAlternative(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 100 {
		const n, k = 8, 3
		w := Widest{Values: make([]float64, n), Weights: make([]float64, n), OutsideValue: rng.NormFloat64(), OutsideWeight: rng.ExpFloat64()}
		for i := range n {
			w.Values[i], w.Weights[i] = rng.NormFloat64(), rng.ExpFloat64()
		}
		plain := Widest{Values: append(w.Values[:n:n], w.OutsideValue), Weights: append(w.Weights[:n:n], w.OutsideWeight)}
		widest := 0.0
		for a := range n {
			for b := range a {
				for c := range b {
					variance := w.Variance([]int{a, b, c})
					approx.Equal(t, "variance", variance, plain.Variance([]int{a, b, c, n}), 1e-12)
					widest = max(widest, variance)
				}
			}
		}
		if found := w.Variance(w.Question(nil, k)); !(found >= 0.9*widest) {
			t.Errorf("variance %v, the best has %v", found, widest)
		}
	}
}
