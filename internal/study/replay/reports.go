package replay

import (
	"bestpick/internal/study"
	"bestpick/strategy"
)

// maxBoard limits the arms times the answers of a leaderboard: beyond that it would delay the plan.
const maxBoard = 100_000

// nextBoard returns how many answers the next leaderboard of some arms needs, given the answers of the last one, 0 if there
// is none. Leaderboards are rare because they take far longer than other parts of a plan, and before an arm has been shown
// a few times its interval is infinite.
func nextBoard(arms, last int) int {
	return max(16, 4*arms, 2*last)
}

// report computes the leaderboard, from time to time and in the end, and in the end the smallest
// certified ε. Both depend on the log and on the plans alone.
func (r *Replayer) report(final bool) {
	answers, last := r.State.Answers, 0
	if before := r.State.Leaderboard; before != nil {
		last = before.Answers
	}
	linear, ok := r.strategy.(linearRace)
	if !ok {
		return
	}
	if answers > 0 && (final || answers >= nextBoard(r.State.Arms, last)) && r.State.Arms*answers <= maxBoard {
		r.State.Leaderboard = newLeaderboard(linear.Leaderboard(), answers)
	}
	r.State.Within = nil
	if final {
		if epsilon, ok := linear.CertifiedEpsilon(); ok {
			r.State.Within = &epsilon
		}
	}
}

// A linearRace ranks all arms, and knows the smallest ε at which its leader is certified. Races under
// majority do neither.
type linearRace interface {
	Leaderboard() []strategy.Rank
	CertifiedEpsilon() (float64, bool)
}

// newLeaderboard returns the leaderboard after a number of answers, nil without ranks.
func newLeaderboard(ranks []strategy.Rank, answers int) *study.Leaderboard {
	if ranks == nil {
		return nil
	}
	return &study.Leaderboard{Answers: answers, Ranks: ranks}
}
