package study_test

import (
	"slices"
	"testing"

	"bestpick/internal/study"
	"bestpick/strategy"
)

// TestVerdictArms: the arms of a verdict are the leader and the contenders, one of which may be
// new.
func TestVerdictArms(t *testing.T) {
	v := study.Verdict{Leader: 4, Contenders: []strategy.Standing{{Arm: 9}, {Arm: 2}}}
	if got := v.Arms(); !slices.Equal(got, []int{4, 9, 2}) {
		t.Errorf("the arms are %v", got)
	}
}
