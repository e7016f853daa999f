package strategy

import (
	"math"

	"bestpick/checks"
	"bestpick/choice"
)

// learn predicts the picks of an answer one by one, each from the slots left, learns from each,
// and counts the answer. It goes through the picks by what was shown, as the tally does: where
// slots matter, two slots with the same arm are a choice, and the tally counts it.
func (r *Racing) learn(answer choice.Answer, segment int) error {
	shown := choice.Answer{Question: make(choice.Question, len(answer.Question)), Picks: answer.Picks}
	for slot, arm := range answer.Question {
		shown.Question[slot] = r.views.view(arm, slot, segment)
	}
	for slots, picked := range shown.Steps() {
		arms, left := make([]int, len(slots)), make([]int, len(slots))
		for i, slot := range slots {
			arms[i], left[i] = answer.Question[slot], shown.Question[slot]
		}
		shares := r.state.Belief.Predict(r.views.shown, left)
		r.evidence.Predict(math.Log(shares[picked]))
		r.monitor.Observe(checks.Pick{
			Arms: arms, Shown: left, Slots: slots, Shares: shares, Belief: &r.state.Belief, Picked: picked, Respondent: answer.Respondent,
		})
		r.countDuels(arms, shares, arms[picked], len(slots) == len(answer.Question))
		r.state.Belief.Learn(r.views.shown, left, shares, left[picked])
	}
	return r.tally.Add(shown)
}
