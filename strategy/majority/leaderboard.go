package majority

import (
	"cmp"
	"math"
	"slices"

	"bestpick/evidence"
	"bestpick/strategy"
)

// The parts of the leaderboard's δ, besides the one for intervals of the arms at the beginning.
const (
	addedShare = 0.05 // for intervals of arms that are added
	worseShare = 0.75 // for arms that are shown to be worse than the leader
)

// Leaderboard returns the ranks of all arms but withdrawn ones, the leader first and then by the estimated share of people who
// choose them over the leader. It returns nil before capital is invested in the leader, and with weights.
//
// The intervals come from the capital that is invested in the leader ([evidence.Majority] has the proof). With probability 1 −
// δ the statements of all leaderboards hold together, at all looks. That δ is as large as the one of the certificate, and comes
// on top of it. While an arm leads its intervals only shrink.
//
// The true rank of an arm is one more than the number of arms that more people choose over the leader.
func (r *Race) Leaderboard() []strategy.Rank { return r.poll.Leaderboard(r.state.Leader, r.guide()) }

// Leaderboard returns the ranks of the arms relative to one of them, see [Race.Leaderboard].
func (p *Poll) Leaderboard(leader int, by Guide) []strategy.Rank {
	n := p.Election.find(leader)
	if n == nil || p.Election.Weighted || n.Invested == 0 && len(n.Pending) == 0 {
		return nil
	}
	people := group{arms: &p.arms, rows: by.Rows, belief: by.Belief, election: &p.Election}
	ranks := []strategy.Rank{{Arm: leader}}
	for _, arm := range p.arms.present() {
		if arm == leader {
			continue
		}
		low, high := p.Election.interval(&p.arms, n, arm)
		if slices.Contains(n.Worse, arm) {
			high = min(high, 0.5)
		}
		share, _ := people.chosenOver(arm, leader)
		ranks = append(ranks, strategy.Rank{
			Arm: arm, Utility: evidence.LogOdds(min(max(share, low), high)), Low: evidence.LogOdds(low), High: evidence.LogOdds(high),
		})
	}
	for i := range ranks {
		r := &ranks[i]
		r.First, r.Last = 1, len(ranks)
		for _, other := range ranks {
			if other.Low > r.High || other.Arm == leader && r.Arm != leader && r.High <= 0 {
				r.First++
			}
			if other.High < r.Low || r.Arm == leader && other.Arm != leader && other.High <= 0 {
				r.Last--
			}
		}
	}
	slices.SortStableFunc(ranks[1:], func(x, y strategy.Rank) int { return cmp.Compare(y.Utility, x.Utility) })
	return ranks
}

// interval returns between which shares of people choose a rival over a nominee. Each of the two ends has a part of δ by the
// number of the rival in the order of the arms: nearly all of δ is for the rivals at the beginning.
func (e *election) interval(a *arms, n *nominee, rival int) (low, high float64) {
	number := rival
	if rival > n.Arm {
		number--
	}
	part := a.delta * (1 - addedShare - worseShare) / float64(max(e.First-1, 1))
	if added := float64(number - (e.First - 1)); added >= 0 {
		part = a.delta * addedShare / ((added + 1) * (added + 2))
	}
	return n.Rivals[rival].Interval(a.levels, -math.Log(part/2))
}

// showWorse notes which arms are shown to be worse than a nominee: less than half of the people choose them over it.
//
// Let T(X) be the arms that half of the people or more choose over a nominee X, of those at the beginning. Before the first bet
// on X every arm gets a weight. Cash and, of all nominees X, the weighted means of the capitals of T(X) at ½ are a
// supermartingale that starts at 1, because T(X) depends on X alone. So an arm of T(X) is shown to be worse than some X by
// [evidence.ClosedTest] with probability at most δ.
func (e *election) showWorse(a *arms) {
	for i := range e.Nominees {
		n := &e.Nominees[i]
		for rival, least := range n.leastWorse(a) {
			if n.Rivals[rival].Genuine(a.half) >= least && rival != n.Arm && !slices.Contains(n.Worse, rival) {
				n.Worse = append(n.Worse, rival)
			}
		}
	}
}

// leastWorse returns the logs of the capitals at ½ that show arms to be worse, of the arms that have a weight.
func (n *nominee) leastWorse(a *arms) []float64 {
	least := make([]float64, len(n.Weights))
	for arm := range least {
		least[arm] = math.Exp(n.Rivals[arm].Genuine(a.half))
	}
	least = evidence.ClosedTest(least, n.Weights, 1/(a.delta*worseShare))
	for arm, capital := range least {
		least[arm] = math.Log(capital)
	}
	return least
}

// weigh gives arms weights for nominees that have none, before the first bet on them: the odds that the nominee is chosen over
// them. Then the evidence against the worst arms hardly depends on that against the others.
func (e *election) weigh(by Guide) {
	for i := range e.Nominees {
		n := &e.Nominees[i]
		if e.Weighted || n.Weights != nil {
			continue
		}
		n.Weights = make([]float64, e.First)
		for arm := range n.Weights {
			if arm != n.Arm {
				n.Weights[arm] = math.Exp(by.Rows.Utility(n.Arm, by.Belief.Fitted) - by.Rows.Utility(arm, by.Belief.Fitted))
			}
		}
	}
}
