package majority

import (
	"math"

	"bestpick/evidence"
)

const (
	cycleShare = 0.05 // of δ, for the certificate that no arm is majority-best
	evenWeight = 5.0  // respondents, that the expectation that two arms are equal is worth
)

// againstBest has one capital per arm X, against the hypothesis that X is majority-best:
//
//	H: π_S ≤ ½ + ε, for every other arm Y and every question S that shows X and Y,
//
// with π_S as in [evidence.Majority]. On every arrival it bets −g for one rival Y, chosen from the hand and from the answers so
// far; open comparisons count for X. Under H the mean of that is at most 0, so the capital is a non-negative supermartingale
// that starts at 1, whichever rivals are chosen.
//
// Without a favourite the capitals of all arms grow. If there is a majority-best arm, they all reach a threshold only if the
// capital of that arm does, and which arm that is does not depend on the answers. So there is no union over arms. With a part p
// of the capital of an election for these bets, (1−p)·S + p·(the capital of that arm) is one supermartingale, S as in
// [evidence.Majority]: both certificates together are wrong with probability at most δ.
//
// What fakes can have added is left out as in an election.
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
func (b againstBest) settle(level evidence.Level, ended int) {
	for arm := range b {
		b[arm].Settle([]evidence.Level{level}, ended)
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
		b[arm].Place(evidence.Bet{
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

// consider adds bets about an arm, a nominee, and a rival: against each of the two. They are predicted by the people who
// compared the two before, and not by the model, in which there are no cycles.
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
