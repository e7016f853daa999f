package strategy

import (
	"math"

	"bestpick/checks"
	"bestpick/choice"
)

// learn predicts the picks of an answer one by one, each from the arms that are left, learns
// from each, and counts the answer.
func (r *Racing) learn(answer choice.Answer, segment int) error {
	shown := make(choice.Question, len(answer.Question))
	for slot, arm := range answer.Question {
		shown[slot] = r.views.view(arm, slot, segment)
	}
	for slots, picked := range answer.Steps() {
		arms, left := make([]int, len(slots)), make([]int, len(slots))
		for i, slot := range slots {
			arms[i], left[i] = answer.Question[slot], shown[slot]
		}
		shares := r.state.Belief.Predict(r.views.shown, left)
		r.evidence.Predict(math.Log(shares[picked]))
		r.monitor.Observe(checks.Pick{
			Arms: arms, Shown: left, Slots: slots, Shares: shares, Belief: &r.state.Belief, Picked: picked, Respondent: answer.Respondent,
		})
		r.countDuels(arms, shares, arms[picked])
		r.state.Belief.Learn(r.views.shown, left, shares, left[picked])
	}
	return r.tally.Add(choice.Answer{Question: shown, Picks: answer.Picks})
}
