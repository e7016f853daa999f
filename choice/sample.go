package choice

import (
	"math"
	"math/rand/v2"
)

// Gumbel draws from the standard Gumbel distribution, −log(−log U). A respondent
// who adds independent Gumbel noise to every utility and takes the largest sum
// picks with softmax probabilities.
func Gumbel(rng *rand.Rand) float64 {
	return -math.Log(rng.ExpFloat64())
}

// SamplePick draws one slot with the softmax probabilities of the utilities.
func SamplePick(rng *rand.Rand, utilities []float64) int {
	best, top := 0, math.Inf(-1)
	for slot, u := range utilities {
		if noisy := u + Gumbel(rng); noisy > top {
			best, top = slot, noisy
		}
	}
	return best
}

// SampleRanking draws the first m of a Plackett–Luce ranking: the slots in
// decreasing order of noisy utility, which has the same law as m softmax picks
// from shrinking sets.
func SampleRanking(rng *rand.Rand, utilities []float64, m int) []int {
	if m < 1 || m > len(utilities) {
		panic("choice: ranking depth out of range")
	}
	noisy := make([]float64, len(utilities))
	for slot, u := range utilities {
		noisy[slot] = u + Gumbel(rng)
	}
	picks := make([]int, 0, m)
	for range m {
		best := 0
		for slot, u := range noisy {
			if u > noisy[best] {
				best = slot
			}
		}
		picks = append(picks, best)
		noisy[best] = math.Inf(-1)
	}
	return picks
}
