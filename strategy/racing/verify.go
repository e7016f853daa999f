package strategy

import (
	"math"
	"slices"
)

// verify says which arms still have to be compared with the leader directly, where
// [Settings.Verify] asks for that, before a verdict counts as certified. Features may miss v of
// an arm's appeal, so that an arm behind by less may be ahead. Where both were shown, w picks
// of the leader and l of the arm say that the lead is log(w/l), with a standard error of
// √(1/w + 1/l), whatever the features are. For every arm behind by less than 2v, which allows
// for some error in that, the standard error must be at most v/4, and w at least l.
//
// It only ever withholds a verdict, so nothing that was proved becomes less true.
func (r *Racing) verify() []int {
	v := r.settings.Verify
	if v == 0 {
		return nil
	}
	var left []int
	for arm, u := range r.utilities {
		near := r.utilities[r.top()]-u < 2*v && !slices.Equal(r.views.judged.Arm(arm), r.views.judged.Arm(r.state.Leader))
		if !near || r.withdrawn(arm) {
			continue
		}
		if w, l := r.direct(arm); !(math.Sqrt(1/w+1/l) <= v/4 && w >= l) {
			left = append(left, arm)
		}
	}
	return left
}

// direct counts the picks of the leader and of an arm in answers to questions that showed both,
// with half a pick each to begin with.
func (r *Racing) direct(arm int) (leader, other float64) {
	leader, other = 0.5, 0.5
	each := r.views.slots * r.views.segments
	for shown, wins := range r.tally.Questions() {
		var picks [2]float64
		var there [2]bool
		for i, view := range shown {
			for side, want := range [...]int{r.state.Leader, arm} {
				if view/each == want {
					there[side] = true
					picks[side] += wins[i]
				}
			}
		}
		if there[0] && there[1] {
			leader, other = leader+picks[0], other+picks[1]
		}
	}
	return leader, other
}

// verifyQuestion is the leader with arms that are to be compared with it, in turn, and arms that
// will hardly be picked in what places are left.
func (r *Racing) verifyQuestion() []int {
	q := []int{r.state.Leader}
	for i := 0; len(q) < r.settings.K && i < len(r.state.Verifying); i++ {
		q = append(q, r.state.Verifying[i])
	}
	if n := len(q) - 1; n < len(r.state.Verifying) {
		r.state.Verifying = append(r.state.Verifying[n:], r.state.Verifying[:n]...)
	}
	return r.fillUp(q)
}
