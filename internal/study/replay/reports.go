package replay

import (
	"bestpick/internal/study"
	"bestpick/strategy"
)

const (
	firstBoard = 10 // answers until the first leaderboard
	boardPart  = 4  // the next leaderboard needs 1/4 more answers, because it is costly

	// maxBoard limits the arms times the answers of a leaderboard: beyond that it would delay the plan.
	maxBoard = 100_000
)

// report computes the parts of verdicts since [study.Reporting]: the leaderboard, from time to time and
// in the end, and in the end the smallest certified ε. Both depend on the log and on the plans alone.
func (r *Replayer) report(final bool) {
	if r.State.Format < study.Reporting {
		return
	}
	answers, next := r.State.Answers, firstBoard
	if before := r.State.Leaderboard; before != nil {
		next = before.Answers + before.Answers/boardPart
	}
	if ranker, ok := r.strategy.(ranker); ok && answers > 0 && (final || answers >= next) && r.State.Arms*answers <= maxBoard {
		r.State.Leaderboard = newLeaderboard(ranker.Leaderboard(), answers)
	}
	r.State.Within = nil
	if certifier, ok := r.strategy.(certifier); ok && final {
		if epsilon, ok := certifier.CertifiedEpsilon(); ok {
			r.State.Within = &epsilon
		}
	}
}

// A ranker is a strategy that ranks all arms.
type ranker interface {
	Leaderboard() []strategy.Rank
}

// A certifier is a strategy that knows the smallest ε at which its leader is certified.
type certifier interface {
	CertifiedEpsilon() (float64, bool)
}

// newLeaderboard returns the leaderboard after a number of answers, nil without ranks.
func newLeaderboard(ranks []strategy.Rank, answers int) *study.Leaderboard {
	if ranks == nil {
		return nil
	}
	return &study.Leaderboard{Answers: answers, Ranks: ranks}
}
