package simulate_test

import (
	"testing"

	"bestpick/simulate"
	"bestpick/strategy"
)

// TestCovers: every interval and every range of ranks must hold.
func TestCovers(t *testing.T) {
	in := simulate.Instance{Utilities: []float64{1, 0.5, 0.5, -1}}
	all := func() []strategy.Rank {
		return []strategy.Rank{
			{Arm: 0, First: 1, Last: 1},
			{Arm: 1, Low: -0.6, High: -0.5, First: 2, Last: 3},
			{Arm: 2, Low: -0.5, High: 0, First: 1, Last: 2},
			{Arm: 3, Low: -50, High: 50, First: 4, Last: 4},
		}
	}
	if !in.Covers(all(), 0) {
		t.Error("true statements do not hold")
	}
	for name, change := range map[string]func(r []strategy.Rank){
		"low":   func(r []strategy.Rank) { r[1].Low = -0.49 },
		"high":  func(r []strategy.Rank) { r[2].High = -0.51 },
		"first": func(r []strategy.Rank) { r[2].First = 3 },
		"last":  func(r []strategy.Rank) { r[3].Last = 3 },
	} {
		if ranks := all(); true {
			change(ranks)
			if in.Covers(ranks, 0) {
				t.Errorf("%s: a false statement holds", name)
			}
		}
	}
}
