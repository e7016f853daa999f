package choice_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"bestpick/choice"
	"bestpick/internal/approx"
)

func TestProbabilitiesAtExtremeUtilities(t *testing.T) {
	for _, utilities := range [][]float64{
		{1e4, -1e4}, {-1e4, -1e4, -1e4}, {1e4, 1e4 - 1, 0}, {1e4, 1e4, 1e4, -1e4}, {0, 0},
	} {
		p := choice.Probabilities(nil, utilities)
		sum := 0.0
		for _, x := range p {
			sum += x
		}
		approx.Equal(t, "sum of probabilities", sum, 1, 1e-15)
	}
	p := choice.Probabilities(nil, []float64{1e4, 1e4 - 1, -1e4})
	approx.EqualRelative(t, "odds one apart", p[0]/p[1], math.E, 1e-14)
	approx.Equal(t, "hopeless arm", p[2], 0, 0)
	approx.Equal(t, "LogSumExp", choice.LogSumExp([]float64{-1e4, -1e4}), -1e4+math.Ln2, 1e-11)
}

func TestProbabilitiesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		utilities := rapid.SliceOfN(rapid.Float64Range(-1e4, 1e4), 2, 12).Draw(t, "utilities")
		shift := rapid.Float64Range(-1e4, 1e4).Draw(t, "shift")
		p := choice.Probabilities(nil, utilities)
		total := 0.0
		shifted := make([]float64, len(utilities))
		for i, x := range p {
			if !(x >= 0 && x <= 1) {
				t.Fatalf("probability %v", x)
			}
			total += x
			shifted[i] = utilities[i] + shift
			// log p_i = u_i − log Σ exp u, wherever p_i can be told from zero;
			// both sides are exact to a few rounding errors of 1e4.
			if x > 1e-300 {
				approx.Equal(t, "log p", math.Log(x), utilities[i]-choice.LogSumExp(utilities), 1e-10)
			}
		}
		approx.Equal(t, "sum of probabilities", total, 1, 1e-14)
		// Adding the shift rounds utilities of up to 2e4 to 4e-12.
		approx.EqualSlices(t, "probabilities after a shift", choice.Probabilities(nil, shifted), p, 2e-11)
	})
}

func TestProbabilitiesInPlace(t *testing.T) {
	u := []float64{1, 2, 3}
	want := choice.Probabilities(nil, u)
	approx.EqualSlices(t, "in place", choice.Probabilities(u, u), want, 0)
}
