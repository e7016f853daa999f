package majority

import (
	"math"

	"bestpick/evidence"
)

const (
	cycleShare = 0.05 // of δ, for the certificate that no arm is majority-best
	evenWeight = 5.0  // respondents, that the expectation that two arms are equal is worth
)

// againstBest has the logs of one capital per arm X, against the hypothesis that X is majority-best:
//
//	H: π_S ≤ ½ + ε, for every other arm Y and every question S that shows X and Y,
//
// with π_S as in [evidence.Majority]. A respondent is entered with the payoff −g of one rival Y, chosen
// from the questions and from earlier respondents. Under H its mean is at most 0, so the capital is
// a non-negative supermartingale that starts at 1, whichever rivals are chosen.
//
// Without a favourite the capitals of all arms grow. If there is a majority-best arm, they all reach a
// threshold only if the capital of that arm does, and which arm that is does not depend on the
// answers. So there is no union over arms. With a part p of the capital of an election for these bets,
// (1−p)·S + p·(the capital of that arm) is one supermartingale, S as in [evidence.Majority]: both
// certificates together are wrong with probability at most δ.
//
// Once arms have come or gone, the rivals that X lost to may be gone, and these bets no longer count.
type againstBest []float64

// cycleThreshold returns the log of the capital that refutes that an arm is majority-best.
func cycleThreshold(delta float64) float64 { return -math.Log(delta * cycleShare) }

// grown returns the capitals with new ones for further arms.
func (b againstBest) grown(n int) againstBest { return append(b, make(againstBest, n-len(b))...) }

// settle adds the gains of bets. A capital that has reached the threshold bets no more.
func (b againstBest) settle(made betsAgainstBest, threshold float64) {
	for arm, bet := range made {
		if b[arm] < threshold {
			b[arm] += bet.gain
		}
	}
}

// refuteAll reports whether all capitals have reached the threshold.
func (b againstBest) refuteAll(threshold float64) bool {
	for _, log := range b {
		if log < threshold {
			return false
		}
	}
	return len(b) > 0
}

// betsAgainstBest has the best bet against each arm on the votes of one respondent. The choice between
// bets must not depend on the votes.
type betsAgainstBest map[int]struct {
	growth float64 // expected of the log of the capital
	gain   float64 // in the log of the capital
}

// consider adds bets on the votes of a respondent about an arm, a nominee, and a rival: against each of the two.
// They are predicted by the people who compared the two before, and not by the model, in which there are no
// cycles.
func (b betsAgainstBest) consider(arm, rival int, before *evidence.Rival, v evidence.Votes, squares, points float64) {
	even := evidence.Prediction{Squares: squares}
	p := before.Update(even, points, evenWeight)
	b.offer(arm, evidence.Prediction{Mean: -p.Mean, Squares: p.Squares}, -v.Payoff(points), points)
	b.offer(rival, before.Update(even, -points, evenWeight), v.Payoff(-points), points)
}

// offer adds a bet against an arm, with the predicted and the actual payoff, unless there is a better one.
func (b betsAgainstBest) offer(arm int, p evidence.Prediction, payoff, points float64) {
	if growth := p.Growth(-points); growth > b[arm].growth {
		better := b[arm]
		better.growth, better.gain = growth, math.Log1p(p.Kelly(-points)*payoff)
		b[arm] = better
	}
}
