package racing

import (
	"math"

	"bestpick/evidence"
)

const (
	doubtShare = 0.05 // of δ, for the certificate that no arm is majority-best
	evenWeight = 5.0  // respondents, that the expectation that two arms are equal is worth
)

// Doubts are the logs of one capital per arm, X, against the hypothesis that X is majority-best:
//
//	H: π_S ≤ ½ + ε, for every other arm Y and every question S that shows X and Y,
//
// with π_S as in [evidence.Majority]. A respondent is entered with the payoff −g of one rival Y, chosen
// from the questions and from earlier respondents. Under H its mean is at most 0, so the capital is
// a non-negative supermartingale that starts at 1, whichever rivals are chosen.
//
// Without a favourite the capitals of all arms grow. If there is a majority-best arm, they all reach a
// threshold only if the capital of that arm does, and which arm that is does not depend on the
// answers. So there is no union over arms. With a part p of the capital of an election for doubts,
// (1−p)·S + p·(the capital of that arm) is one supermartingale, S as in [evidence.Majority]: both
// certificates together are wrong with probability at most δ.
//
// Once arms have come or gone, the rivals that X lost to may be gone, and doubts no longer count.
type doubts []float64

// A bet is a bet on one rival's votes against an arm.
type bet struct {
	growth float64 // expected of the log of the capital
	gain   float64 // in the log of the capital
}

// bets has the best bet against each arm. The choice between bets must not depend on the votes.
type bets map[int]bet

// consider adds bets on the votes of a respondent about a nominee and a rival: against each of the two.
// They are predicted by the people who compared the two before, and not by the model, in which there are no
// cycles.
func (b bets) consider(n *nominee, rival int, v evidence.Votes, squares, points float64) {
	even := evidence.Prediction{Squares: squares}
	p := n.Rivals[rival].Update(even, points, evenWeight)
	b.offer(n.Arm, evidence.Prediction{Mean: -p.Mean, Squares: p.Squares}, -v.Payoff(points), points)
	b.offer(rival, n.Rivals[rival].Update(even, -points, evenWeight), v.Payoff(-points), points)
}

// offer adds a bet against an arm, with the predicted and the actual payoff, unless there is a better one.
func (b bets) offer(arm int, p evidence.Prediction, payoff, points float64) {
	if growth := p.Growth(-points); growth > b[arm].growth {
		b[arm] = bet{growth, math.Log1p(p.Kelly(-points) * payoff)}
	}
}

// settle adds the gains of bets. A capital that has reached the threshold bets no more.
func (d doubts) settle(made bets, threshold float64) {
	for arm, b := range made {
		if d[arm] < threshold {
			d[arm] += b.gain
		}
	}
}

// makeRoom adds capital for arms without.
func (e *election) makeRoom(c *contest) {
	e.Doubts = append(e.Doubts, make([]float64, c.catalogue.Len()-len(e.Doubts))...)
}

// doubtThreshold returns the log of the capital that refutes that an arm is majority-best.
func (c *contest) doubtThreshold() float64 { return -math.Log(c.majorityDelta() * doubtShare) }

// isCyclic reports whether it is certified that no arm is majority-best.
func (e *election) isCyclic(c *contest) bool {
	if e.Changed || len(e.Doubts) == 0 {
		return false
	}
	for _, log := range e.Doubts {
		if log < c.doubtThreshold() {
			return false
		}
	}
	return true
}
