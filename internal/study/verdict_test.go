package study_test

import (
	"slices"
	"testing"

	"bestpick/internal/study"
	"bestpick/strategy"
)

// TestVerdictArms: those that a verdict names are the leader and whoever contends, one of which may have come just now.
func TestVerdictArms(t *testing.T) {
	v := study.Verdict{Leader: 4, Contenders: []strategy.Standing{{Arm: 9}, {Arm: 2}}}
	if got := v.Arms(); !slices.Equal(got, []int{4, 9, 2}) {
		t.Errorf("they are %v", got)
	}
}
