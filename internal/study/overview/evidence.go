package overview

import "math"

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
