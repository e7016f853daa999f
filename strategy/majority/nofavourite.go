package majority

import (
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
)

const (
	cycleShare = 0.05 // of δ, for the certificate that no arm is majority-best
	evenWeight = 5.0  // respondents, that the expectation that two arms are equal is worth
)

// againstBest has one capital per arm X, against the hypothesis that X is majority-best:
//
//	H: π_S ≤ ½ + ε, for every other arm Y and every question S that shows X and Y,
//
// with π_S as in [evidence.Majority]. On every arrival it bets −g for one rival Y, chosen from the hand and
// from the answers so far; open comparisons count for X. Under H the mean of that is at most 0, so the
// capital is a non-negative supermartingale that starts at 1, whichever rivals are chosen.
//
// Without a favourite the capitals of all arms grow. If there is a majority-best arm, they all reach a
// threshold only if the capital of that arm does, and which arm that is does not depend on the
// answers. So there is no union over arms. With a part p of the capital of an election for these bets,
// (1−p)·S + p·(the capital of that arm) is one supermartingale, S as in [evidence.Majority]: both
// certificates together are wrong with probability at most δ.
//
// Once arms have come or gone, the rivals that X lost to may be gone, and these bets no longer count.
type againstBest []evidence.Capital

// cycleThreshold returns the log of the capital that refutes that an arm is majority-best.
func cycleThreshold(delta float64) float64 { return -math.Log(delta * cycleShare) }

// grown returns the capitals with new ones for further arms.
func (b againstBest) grown(n int) againstBest {
	for len(b) < n {
		b = append(b, evidence.NewCapital(1, 1))
	}
	return b
}

// settle evaluates all bets. Hands up to a number have ended.
func (b againstBest) settle(points float64, ended int) {
	for arm := range b {
		b[arm].Settle([]evidence.Level{{Share: 0.5 - points}}, ended)
	}
}

// refuteAll reports whether all capitals have reached the threshold.
func (b againstBest) refuteAll(threshold float64) bool {
	for arm := range b {
		if b[arm].Highest[0] < threshold {
			return false
		}
	}
	return len(b) > 0
}

// place places bets on a person.
func (b againstBest) place(made betsAgainstBest, h Hand) {
	for arm, bet := range made {
		b[arm].Bets = append(b[arm].Bets, evidence.Bet{
			Arrival: h.Arrival, Arm: bet.on, Stake: bet.stake, Cards: comparing(h.Cards, arm, bet.on),
		})
	}
}

// betsAgainstBest has the best bet against each arm on one person.
type betsAgainstBest map[int]betAgainst

type betAgainst struct {
	on     int     // the arm that is chosen instead
	growth float64 // expected of the log of the capital
	stake  float64
}

// consider adds bets about an arm, a nominee, and a rival: against each of the two. They are predicted by
// the people who compared the two before, and not by the model, in which there are no cycles.
func (b betsAgainstBest) consider(arm, rival int, before evidence.Votes, squares, points float64) {
	even := evidence.Prediction{Squares: squares}
	p := before.Update(even, points, evenWeight)
	b.offer(arm, rival, evidence.Prediction{Mean: -p.Mean, Squares: p.Squares}, points)
	b.offer(rival, arm, before.Update(even, -points, evenWeight), points)
}

// offer adds a bet against an arm, unless there is a better one.
func (b betsAgainstBest) offer(arm, on int, p evidence.Prediction, points float64) {
	if growth := p.Growth(-points); growth > b[arm].growth {
		b[arm] = betAgainst{on, growth, p.Kelly(-points)}
	}
}

// A refutation chooses questions that show that no arm is majority-best: where people seem to have a
// cycle of arms instead of a favourite. It compares every arm with the one that seems to beat it most.
type refutation struct {
	Left []beaten `json:"left"` // the arms that are not refuted
}

// A beaten arm is compared with another one that seems to beat it.
type beaten struct {
	Arm     int     `json:"arm"`
	By      int     `json:"by"`
	OnCycle bool    `json:"on_cycle,omitempty"`
	Takes   float64 `json:"takes"` // respondents until it is refuted, by the estimates
}

// newRefutation returns the refutation of all arms by those on a cycle, which are nominated without
// capital, so that their comparisons are counted.
func newRefutation(g *group, l *survey.Leads, cycle []int) *refutation {
	made, e := &refutation{}, g.election
	e.AgainstBest = e.AgainstBest.grown(g.arms.catalogue.Len())
	for _, arm := range cycle {
		e.nominate(g.arms, arm)
	}
	for arm := range e.AgainstBest {
		need := cycleThreshold(g.arms.delta) - e.AgainstBest[arm].Highest[0]
		if need <= 0 || g.arms.isWithdrawn(arm) {
			continue
		}
		at := slices.Index(cycle, arm)
		by := cycle[(at+1)%len(cycle)]
		for _, other := range cycle {
			if at < 0 && l.Lead(other) < l.Lead(by) {
				by = other
			}
		}
		share, _ := g.chosenOver(by, arm)
		takes := need / max(divergence(share, 0.5+g.arms.points()), leastGrowth)
		made.Left = append(made.Left, beaten{Arm: arm, By: by, OnCycle: at >= 0, Takes: takes})
	}
	return made
}

// divergence returns the Kullback–Leibler divergence of a share from a smaller one, in nats: what a
// respondent adds to the log of the capital at best. It is 0 if the share is not larger.
func divergence(share, from float64) float64 {
	if share <= from {
		return 0
	}
	return share*math.Log(share/from) + (1-share)*math.Log((1-share)/(1-from))
}

// question returns an arm that is not refuted and the one that beats it, and other arms if there is room.
// Two arms of a cycle are not shown with a third: together they may be tied.
func (r *refutation) question(size int, rng *rand.Rand) []int {
	var q []int
	takes := make([]float64, len(r.Left))
	for i := range r.Left {
		takes[i] = r.Left[i].Takes
	}
	for len(q) < size && slices.Max(takes) > 0 {
		drawn := draw(takes, rng)
		arm := &r.Left[drawn]
		takes[drawn] = 0
		if len(q) == 0 {
			q = append(q, arm.By)
		} else if arm.OnCycle {
			continue
		}
		if !slices.Contains(q, arm.Arm) {
			q = append(q, arm.Arm)
			arm.Takes = max(arm.Takes-1, 1)
		}
	}
	return q
}
