package study

import (
	"math"

	"bestpick/choice"
	"bestpick/strategy"
)

// Evidence returns how much speaks against the most doubtful of the arms that may still be better than the leader,
// and how much is needed to refute it: log(1/δ). Before the first plan there is none.
func (p Progress) Evidence() (evidence, needed float64) {
	needed = math.Log(1 / p.Study.Settings.Strategy.Delta)
	if p.Plan == 0 {
		return 0, needed
	}
	evidence = needed
	for i, c := range p.Verdict.Contenders {
		if i == 0 || c.Evidence < evidence {
			evidence = c.Evidence
		}
	}
	return evidence, needed
}

// Elimination counts the arms that are eliminated and those that may still be better than the leader, as of the last
// plan. Before the first plan no arm is eliminated.
func (p Progress) Elimination(arms *choice.Catalogue) strategy.Elimination {
	if p.Verdict.Leader < 0 {
		whole := strategy.NewElimination(arms, len(p.Study.Withdrawn), 0)
		return strategy.Elimination{Rivals: whole.Eliminated}
	}
	return strategy.NewElimination(arms, len(p.Study.Withdrawn), p.Verdict.possible())
}
