package racing

import (
	"math"
	"slices"

	"bestpick/choice"
)

// unverified returns the arms that still have to be compared with the leader directly before a verdict counts as certified, if
// [Settings.Verify] requires that. Features may miss v of an arm's utility, so that an arm behind by less may be ahead. If both
// were shown, w picks of the leader and l of the arm estimate the lead as log(w/l), with a standard error of √(1/w + 1/l),
// without the features. For every arm behind by less than 2v, which allows for some error, the standard error must be at most
// v/4, and w at least l.
//
// Verification only ever withholds a verdict, so it invalidates no proof.
func (c *problem) unverified(l *leads, tally *choice.Tally) []int {
	v := c.settings.Verify
	if v == 0 {
		return nil
	}
	var left []int
	for arm := range l.Utilities {
		near := l.Lead(arm) < 2*v && !slices.Equal(c.rows.arms.Arm(arm), c.rows.arms.Arm(l.leader))
		if !near || c.isWithdrawn(arm) {
			continue
		}
		if w, l := c.directPicks(tally, l.leader, arm); !(math.Sqrt(1/w+1/l) <= v/4 && w >= l) {
			left = append(left, arm)
		}
	}
	return left
}

// directPicks counts the picks of the leader and of an arm in answers to questions that showed both
// in equally many slots, starting from half a pick each. In other questions log(w/l) would be off
// by the log of the ratio of the slots, as in [problem.pair].
func (c *problem) directPicks(tally *choice.Tally, leader, arm int) (ofLeader, ofArm float64) {
	ofLeader, ofArm = 0.5, 0.5
	rows := c.rows.slots * c.rows.segments
	for shown, wins := range tally.Questions() {
		var picks [2]float64
		var slots [2]int
		for i, row := range shown {
			for side, want := range [...]int{leader, arm} {
				if row/rows == want {
					slots[side]++
					picks[side] += wins[i]
				}
			}
		}
		if slots[0] > 0 && slots[0] == slots[1] {
			ofLeader, ofArm = ofLeader+picks[0], ofArm+picks[1]
		}
	}
	return ofLeader, ofArm
}
