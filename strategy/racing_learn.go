package strategy

import (
	"math"
	"slices"

	"bestpick/choice"
)

// learn predicts the picks of an answer one by one, each from the arms that are left, and
// learns from each.
func (r *Racing) learn(answer choice.Answer) {
	left := slices.Clone(answer.Question)
	for _, slot := range answer.Picks {
		if len(left) == 1 {
			break // no choice is left
		}
		pick := answer.Question[slot]
		shares := r.state.Belief.Predict(r.white, left)
		likelihood := 0.0
		for i, arm := range left {
			if arm == pick {
				likelihood += shares[i]
			}
		}
		r.evidence.Predict(math.Log(likelihood))
		r.countDuels(left, shares, pick)
		r.state.Belief.Learn(r.white, left, shares, pick)
		at := slices.Index(left, pick)
		left = slices.Delete(left, at, at+1)
	}
}
