package choice

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/internal/approx"
)

// TestExp holds exp against math.Exp, which is good to less than one unit in the
// last place, 2.2e-16 relative; the doc comment promises two.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1_000_000 {
		x := (rng.Float64() - 0.5) * 2 * expLimit
		if rng.IntN(2) == 0 {
			x = rng.NormFloat64()
		}
		approx.EqualRelative(t, fmt.Sprintf("exp(%v)", x), exp(x), math.Exp(x), 4.5e-16)
		if t.Failed() {
			return
		}
	}
	for x, want := range map[float64]float64{
		0: 1, -1e4: 0, 1e4: math.Inf(1), math.Inf(-1): 0, expLimit: math.Exp(expLimit), -745: math.Exp(-745),
	} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp(NaN) = %v", got)
	}
	approx.Equal(t, "exp(1)", exp(1), math.E, 1e-15)
}

func BenchmarkExp(b *testing.B) {
	x := make([]float64, 300)
	for i := range x {
		x[i] = float64(i%7) - 3.3
	}
	for name, f := range map[string]func(float64) float64{"ours": exp, "math": math.Exp} {
		b.Run(name, func(b *testing.B) {
			sum := 0.0
			for b.Loop() {
				for _, u := range x {
					sum += f(u)
				}
			}
		})
	}
}
