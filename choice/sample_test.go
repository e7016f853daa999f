package choice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestSamplePickFollowsSoftmax: with n = 200,000 draws the share of a slot has
// standard error at most √(¼/n) = 0.0011; five of them are 0.0056.
func TestSamplePickFollowsSoftmax(t *testing.T) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(1, 2))
	utilities := []float64{1, -0.5, 0, 1.7}
	counts := make([]float64, len(utilities))
	for range n {
		counts[choice.SamplePick(rng, utilities)]++
	}
	for i, p := range choice.Probabilities(nil, utilities) {
		approx.Equal(t, fmt.Sprintf("share of slot %d", i), counts[i]/n, p, 0.0056)
	}
}

// TestSampleRankingFollowsPlackettLuce: the chance of the prefix (i, j) is p_i
// times p_j among the rest. Tolerance as above.
func TestSampleRankingFollowsPlackettLuce(t *testing.T) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(3, 4))
	utilities := []float64{0.3, -1, 1}
	counts := map[[2]int]float64{}
	for range n {
		picks := choice.SampleRanking(rng, utilities, 2)
		counts[[2]int{picks[0], picks[1]}]++
	}
	p := choice.Probabilities(nil, utilities)
	for i := range utilities {
		for j := range utilities {
			if i != j {
				approx.Equal(t, fmt.Sprintf("share of %d before %d", i, j), counts[[2]int{i, j}]/n, p[i]*p[j]/(1-p[i]), 0.0056)
			}
		}
	}
}

func TestSamplingAtExtremeUtilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		if got := choice.SamplePick(rng, []float64{-1e4, 1e4, 0}); got != 1 {
			t.Fatalf("picked slot %d against a lead of 1e4", got)
		}
		if got := choice.SampleRanking(rng, []float64{-1e4, 1e4, 0}, 3); got[0] != 1 || got[1] != 2 || got[2] != 0 {
			t.Fatalf("ranked %v", got)
		}
		if g := choice.Gumbel(rng); math.IsNaN(g) {
			t.Fatal("Gumbel noise is NaN")
		}
	}
}
