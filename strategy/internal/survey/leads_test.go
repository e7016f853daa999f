package survey

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSmallestKeepsTheSmallest: the kept items are those with the smallest values, the first among equals.
func TestSmallestKeepsTheSmallest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		n, most := rng.IntN(60), 1+rng.IntN(12)
		values := make([]float64, n)
		s := Smallest{Size: most}
		for i := range values {
			values[i] = float64(rng.IntN(20))
			s.Offer(i, values[i])
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		slices.SortStableFunc(all, func(a, b int) int { return int(values[a] - values[b]) })
		if got := s.Sorted(); !slices.Equal(got, all[:min(n, most)]) {
			t.Fatalf("%v of %v, want %v", got, values, all[:min(n, most)])
		}
	}
}
