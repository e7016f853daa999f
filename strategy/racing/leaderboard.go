package racing

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

const (
	maxRanked    = 100 // arms, of a leaderboard
	rankSearches = 12  // for each arm
	rankMargin   = 0.5 // below log(1/δ): no search if the approximate evidence is less
)

// Leaderboard returns the ranks of all arms but withdrawn ones, by their estimated utilities, from all answers so far. It returns
// nil where there is no linear evidence about at most 100 arms one by one: with clicks in the model, and for profiles of a
// product. It is as costly as several looks for each arm and does not change the race.
//
// C = {θ: M(θ) < 1/δ} is a confidence sequence for θ*, by Ville's inequality. The difference in utility of two arms, g'θ* with g
// = x_i − x_j, lies between the least and the largest g'θ over C, which [evidence.Look.Support] bounds. If the largest is
// negative, arm j is better than arm i. An arm's first rank is one more than the number of arms that are better, and its last
// rank is the number of arms minus the number of worse ones. All of this follows from θ* in C, so it holds for all arms, pairs
// and looks at once with probability 1 − δ, without a union.
//
// The certificate holds with it: M is a part of the capital against the arm that is truly best, which reaches 1/δ with
// probability at most δ. Otherwise θ* is in C at all times, and the certificate is right. So the leaderboard may use the
// certificate: no arm is better than a certified leader by more than ε.
func (r *Linear) Leaderboard() []strategy.Rank {
	c := &r.problem
	if c.rows.arms.Product() != nil || c.catalogue.Len() > maxRanked {
		return nil
	}
	look, ok := r.evidence.Look(r.state.Memory.Least)
	if !ok {
		return nil
	}
	b := board{problem: c, belief: &r.state.Belief, look: look, reach: look.Reach(c.threshold())}
	for arm := range c.catalogue.Len() {
		if !c.isWithdrawn(arm) {
			b.ranks = append(b.ranks, strategy.Rank{Arm: arm, Utility: r.leads.Utilities[arm] - r.leads.Utilities[r.leads.Top]})
		}
	}
	slices.SortStableFunc(b.ranks, func(x, y strategy.Rank) int { return cmp.Compare(y.Utility, x.Utility) })
	b.setIntervals(r.state.Leader)
	b.setRanks()
	if v := r.Verdict(); v.Status == strategy.Certified && v.Top == nil {
		b.certify(r.state.Leader)
	}
	return b.ranks
}

// A board is a leaderboard in the making, in the order of the estimated utilities.
type board struct {
	problem *problem
	belief  *evidence.Belief
	look    *evidence.Look
	reach   evidence.Reach
	ranks   []strategy.Rank
}

// most returns the largest utility of an arm minus that of another.
func (b *board) most(arm, other int) float64 {
	g, solved := b.difference(arm, other)
	return min(b.look.Support(g, b.problem.threshold(), b.reach.Guess(b.belief.Fitted, g, solved)), evidence.MaxSpread)
}

// difference returns the features g of an arm minus those of another, and H⁻¹g.
func (b *board) difference(arm, other int) (g, solved []float64) {
	rows := b.problem.rows.arms
	g, solved = make([]float64, rows.Dim()), make([]float64, rows.Dim())
	floats.SubTo(g, rows.Arm(arm), rows.Arm(other))
	survey.Multiply(solved, b.belief.Inverse, g)
	return g, solved
}

// setIntervals sets the intervals of the differences from the leader.
func (b *board) setIntervals(leader int) {
	for i := range b.ranks {
		r := &b.ranks[i]
		if r.Arm == leader {
			continue
		}
		r.Low, r.High = -b.most(leader, r.Arm), b.most(r.Arm, leader)
		r.Utility = min(max(r.Utility, r.Low), r.High)
	}
}

// setRanks sets the ranges of ranks. Being better is transitive, so an arm that is better than another is
// better than all that the other is better than, and few pairs need a search.
func (b *board) setRanks() {
	n := len(b.ranks)
	worse := make([]armSet, n) // the places of arms that are certainly worse than the arm at a place
	for i := n - 1; i >= 0; i-- {
		worse[i] = newArmSet(n)
		searched := 0
		for j := i + 1; j < n && searched < rankSearches; j++ {
			if worse[i].has(j) || !b.seemsBetter(b.ranks[i].Arm, b.ranks[j].Arm) {
				continue
			}
			searched++
			if b.most(b.ranks[j].Arm, b.ranks[i].Arm) < 0 {
				worse[i].add(j)
				worse[i].addAll(worse[j])
			}
		}
	}
	for i := range b.ranks {
		b.ranks[i].First, b.ranks[i].Last = 1, n
	}
	for i := range worse {
		for j := range b.ranks {
			if worse[i].has(j) {
				b.ranks[i].Last--
				b.ranks[j].First++
			}
		}
	}
}

// seemsBetter reports whether a search is likely to show that an arm is better than another.
func (b *board) seemsBetter(arm, other int) bool {
	g, solved := b.difference(arm, other)
	lead, width := floats.Dot(g, b.belief.Fitted), floats.Dot(g, solved)
	return lead > 0 && b.look.Guess(lead*lead/(2*width)) >= b.problem.threshold()-rankMargin
}

// certify adds that no arm is better than the leader by more than ε.
func (b *board) certify(leader int) {
	for i := range b.ranks {
		r := &b.ranks[i]
		r.High = min(r.High, b.problem.epsilon)
		r.Utility = min(r.Utility, r.High)
		switch {
		case b.problem.epsilon > 0:
		case r.Arm == leader:
			r.First, r.Last = 1, 1
		default:
			r.First = max(r.First, 2)
		}
	}
}
