package strategy

import (
	"math"

	"bestpick/checks"
	"bestpick/choice"
)

// learn predicts the picks of an answer one by one, each from the arms that are left, and
// learns from each.
func (r *Racing) learn(answer choice.Answer) {
	for slots, picked := range answer.Steps() {
		left := make([]int, len(slots))
		for i, slot := range slots {
			left[i] = answer.Question[slot]
		}
		pick := left[picked]
		shares := r.state.Belief.Predict(r.white, left)
		likelihood := 0.0
		for i, arm := range left {
			if arm == pick {
				likelihood += shares[i]
			}
		}
		r.evidence.Predict(math.Log(likelihood))
		r.monitor.Observe(checks.Pick{
			Arms: left, Slots: slots, Shares: shares, Belief: &r.state.Belief, Picked: picked, Respondent: answer.Respondent,
		})
		r.countDuels(left, shares, pick)
		r.state.Belief.Learn(r.white, left, shares, pick)
	}
}
