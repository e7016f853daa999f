//go:build long

package theory

import (
	"testing"

	"bestpick/design"
	"bestpick/strategy/baseline"
)

// TestLongBoundsHold: on the instance of docs/bounds.md and two more of its kind,
// no run of the static strategy takes longer than the upper bound says, for the κ that it
// stops by, and none is shorter than the lower bound.
func TestLongBoundsHold(t *testing.T) {
	for _, seed := range []uint64{1, 4, 5} { // 2 and 3 have gaps so small that a run takes minutes
		p := sphere(t, 20, 5, 3, seed)
		upper := must(p.UpperStatic(design.XY, Upper{Kappa: 0.5}))
		lower := characteristic(t, p, Exact, Automatic).Time * p.LogError()
		for _, run := range staticRuns(t, p, baseline.Settings{K: 3}, 4) {
			if questions := float64(run.Questions); !run.Stopped || questions >= upper || questions <= lower {
				t.Errorf("seed %d: %v questions, stopped: %v, bounds %.0f and %.0f", seed, questions, run.Stopped, lower, upper)
			}
			t.Logf("seed %d: %d questions, between %.0f and %.0f", seed, run.Questions, lower, upper)
		}
	}
}
