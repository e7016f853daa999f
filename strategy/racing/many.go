package racing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
)

const (
	probes      = 8         // the most doubtful arms for which an active set has informative others
	extremes    = 12        // informative arms of each kind
	tenthAsGood = math.Ln10 // in utility: picked a tenth as often
)

// numbers has numbers of all arms, if there are very many. The slices are scratch memory, reused from look to look.
type numbers struct {
	utilities, widths, values []float64
}

// chooseAmongMany returns the active set of very many arms and the leader. The set has the arms whose lead is least certain, some
// drawn at random, and arms that are informative about the most doubtful ones. others counts the arms that are neither in the set
// nor eliminated. A new leader clears eliminated, which refers to the previous leader.
//
// It takes a few passes over the catalogue, each on all cores. The cost of planning does not depend on the number of arms.
func (c *problem) chooseAmongMany(
	b *evidence.Belief, before int, eliminated armSet, rng *rand.Rand, all *numbers,
) (set activeSet, leader, others int) {
	n := c.catalogue.Len()
	if len(all.utilities) != n {
		*all = numbers{make([]float64, n), make([]float64, n), make([]float64, n)}
	}
	if leader = c.surveyAll(b, all); leader != before {
		clear(eliminated)
	}
	rivals, near, left := c.screen(leader, eliminated, all)
	arms := append(append([]int{leader}, rivals...), near...)
	for range c.size.random {
		if arm := rng.IntN(n); !c.isWithdrawn(arm) && !eliminated.has(arm) && all.widths[arm] > 0 {
			arms, rivals = append(arms, arm), append(rivals, arm)
		}
	}
	for _, arm := range rivals[:min(len(rivals), probes)] {
		arms = c.appendInformativeArms(arms, b, leader, arm, all)
	}
	set = subset(c.rows, c.padToK(arms), rivals)
	return set, leader, left - set.rivalCount()
}

// surveyAll sets the utilities of all arms and the squared widths of the leader's leads, and returns the leader.
func (c *problem) surveyAll(b *evidence.Belief, all *numbers) (leader int) {
	c.rows.whitening.Multiply(all.utilities, b.Fitted)
	leader = -1
	for arm, u := range all.utilities {
		if (leader < 0 || u > all.utilities[leader]) && !c.isWithdrawn(arm) {
			leader = arm
		}
	}
	d := c.rows.whitening.Dim()
	var information mat.Cholesky
	inverse := mat.NewSymDense(d, nil)
	known := information.Factorize(mat.NewSymDense(d, append([]float64(nil), b.Inverse...)))
	if !known || information.InverseTo(inverse) != nil || !information.Factorize(inverse) {
		panic("strategy: the information is not positive definite")
	}
	c.rows.whitening.Distances(all.widths, &information, leader)
	return leader
}

// screen returns the most doubtful arms that are not eliminated, the arms nearest to the leader,
// eliminated or not, and how many are not eliminated.
func (c *problem) screen(leader int, eliminated armSet, all *numbers) (doubtful, near []int, left int) {
	least, nearest := survey.Smallest{Size: c.size.doubtful}, survey.Smallest{Size: c.settings.K}
	for arm, width := range all.widths {
		if width <= 0 || c.isWithdrawn(arm) {
			continue
		}
		lead := all.utilities[leader] - all.utilities[arm] + c.epsilon
		nearest.Offer(arm, lead*lead/width)
		if !eliminated.has(arm) {
			left++
			least.Offer(arm, lead*lead/width)
		}
	}
	return least.Sorted(), nearest.Sorted(), left
}

// appendInformativeArms appends the arms that are most informative about the leader's lead over a
// rival: those with the most extreme values of a'H⁻¹(a_b − a_j), of all arms and of the good ones.
func (c *problem) appendInformativeArms(arms []int, b *evidence.Belief, leader, rival int, all *numbers) []int {
	g := c.rows.arms.Arm(leader)
	for k, x := range c.rows.arms.Arm(rival) {
		g[k] -= x
	}
	towards := make([]float64, c.rows.whitening.Dim())
	survey.Multiply(towards, b.Inverse, g)
	c.rows.whitening.Multiply(all.values, towards)
	good := all.utilities[leader] - tenthAsGood
	var ends [4]survey.Smallest
	for i := range ends {
		ends[i].Size = extremes
	}
	for arm, z := range all.values {
		if c.isWithdrawn(arm) {
			continue
		}
		ends[0].Offer(arm, z)
		ends[1].Offer(arm, -z)
		if all.utilities[arm] >= good {
			ends[2].Offer(arm, z)
			ends[3].Offer(arm, -z)
		}
	}
	for i := range ends {
		arms = append(arms, ends[i].Sorted()...)
	}
	return arms
}

// eliminateOthers eliminates arms that are not rivals in the active set and far enough behind,
// without a search, and returns the number of arms left.
func (c *problem) eliminateOthers(look *evidence.Look, l *leads, eliminated armSet, all *numbers) (others int) {
	c.rows.whitening.Multiply(all.utilities, look.Theta)
	c.rows.whitening.Distances(all.widths, look.Factor(), l.leader)
	top := all.utilities[l.leader]
	for arm, width := range all.widths {
		if width <= 0 || eliminated.has(arm) || c.isWithdrawn(arm) || l.has(arm) && l.Widths[l.place(arm)] > 0 {
			continue
		}
		if look.AgainstLead(top-all.utilities[arm]+c.epsilon, math.Sqrt(width)) >= c.threshold() {
			eliminated.add(arm)
		} else {
			others++
		}
	}
	return others
}
