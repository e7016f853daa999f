package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSupportIsNeverUnder: no θ of a random walk that is not refuted exceeds the bound on the lead of an
// arm, and the walk comes close to it.
func TestSupportIsNeverUnder(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	threshold := math.Log(20)
	for seed := range uint64(9) {
		answers := []int{5, 40, 300}[seed%3] // five are separated
		s := newStream(t, 60+seed, answers, 0, answers/4, answers/2)
		look, ok := s.evidence.Look(make([]float64, 3))
		if !ok {
			t.Fatalf("%d answers: no look", answers)
		}
		for _, pair := range [][2]int{{0, 1}, {3, 2}, {4, 5}} {
			g := s.lead(pair[0], pair[1])
			factor, solved := look.Factor(), mat.NewVecDense(3, nil)
			if err := factor.SolveVecTo(solved, mat.NewVecDense(3, g)); err != nil {
				t.Fatal(err)
			}
			guess := look.Reach(threshold).Guess(look.Theta, g, solved.RawVector().Data)
			bound, most, scale := look.Support(g, threshold, guess), math.Inf(-1), 10.0
			at := append([]float64(nil), look.Theta...)
			for try := range 6000 { // a random walk to larger leads, within the set
				theta := make([]float64, 3)
				for k := range theta {
					theta[k] = at[k] + scale*rng.NormFloat64()
				}
				tooFar := mat.Norm(mat.NewVecDense(3, theta), 2) > MaxSpread/2
				if lead := dot(g, theta); !tooFar && lead > most && s.evidence.value(theta)-ridge/2*dot(theta, theta) < threshold {
					most, at = lead, theta
				} else if try%40 == 39 {
					scale *= 0.9
				}
			}
			if !(bound >= most-1e-9) {
				t.Errorf("%d answers, arms %v: at most %v, found %v", answers, pair, bound, most)
			}
			if answers > 5 && !(bound <= most+0.02*max(most, -most)+0.02) {
				t.Errorf("%d answers, arms %v: at most %v, the largest found is %v", answers, pair, bound, most)
			}
		}
	}
}
