package racing

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
)

// fewProfiles is the number of profiles up to which the active set has all of them, so that it
// misses no informative one.
const fewProfiles = 256

// chooseProfiles returns the active set of the profiles of a product, and the leader. Utilities add
// up over its groups, so the leader has the best option of every group. If another profile is
// better by more than ε, then a profile that differs in only one of the G groups is better by more
// than ε/G. These profiles are the rivals, and the certificate needs no others. The set also has
// profiles that are informative about the most doubtful rivals.
func (c *problem) chooseProfiles(b *evidence.Belief) (set activeSet, leader int) {
	product := c.rows.arms.Product()
	utilities := product.Utilities(b.Fitted)
	leader = product.Best(utilities)
	rivals := product.Changes(leader)
	arms := append([]int{leader}, rivals...)
	l := c.newLeads(subset(c.rows, slices.Sorted(slices.Values(arms)), rivals), b, leader)
	if n := c.catalogue.Len(); n <= fewProfiles {
		for arm := range n {
			arms = append(arms, arm)
		}
	}
	towards := make([]float64, c.dim())
	for _, place := range l.MostDoubtful(probes) {
		survey.Multiply(towards, b.Inverse, l.Difference(place))
		arms = appendInformativeProfiles(arms, product, product.Utilities(towards), utilities)
	}
	return subset(c.rows, c.padToK(arms), rivals), leader
}

// appendInformativeProfiles appends the profiles with extreme values z, alone and traded against
// utility u: those with the largest ±z + λu for several λ. A question about them is informative
// about z if they are about equally likely to be picked.
func appendInformativeProfiles(arms []int, product *choice.Product, z, u [][]float64) []int {
	scale := spread(z) / max(spread(u), 1e-9)
	for _, sign := range []float64{1, -1} {
		for _, trade := range []float64{0, 0.25, 0.5, 1, 2, 4} {
			values := make([][]float64, len(z))
			for g := range z {
				for option := range z[g] {
					values[g] = append(values[g], sign*z[g][option]+trade*scale*u[g][option])
				}
			}
			arms = append(arms, product.Best(values))
		}
	}
	return arms
}

// spread returns the standard deviation of a sum over groups, one option of each drawn at
// random.
func spread(values [][]float64) float64 {
	variance := 0.0
	for _, group := range values {
		var mean, squares float64
		for _, x := range group {
			mean += x / float64(len(group))
			squares += x * x / float64(len(group))
		}
		variance += max(squares-mean*mean, 0)
	}
	return math.Sqrt(variance)
}
