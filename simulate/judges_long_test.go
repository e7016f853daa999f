//go:build long

package simulate_test

import (
	"testing"

	"bestpick/strategy"
)

// TestLongJudges: in 100 studies of 12 models and 200 prompts with three judges, one of whom picks at
// random, at most a share δ certifies a wrong model, and honest judges are rarely called random.
func TestLongJudges(t *testing.T) {
	const runs = 100
	wrong, certified, found, accused, answers := 0, 0, 0, 0, 0
	for seed := range uint64(runs) {
		run := judge(t, 1000+seed)
		answers += run.verdict.Answered
		if run.verdict.Status == strategy.Certified {
			certified++
			if run.verdict.Leader != 3 {
				wrong++
			}
		}
		if run.random {
			found++
		}
		if run.wrong {
			accused++
		}
	}
	t.Logf("of %d runs: %d certified, %d wrong; random judge found in %d, honest judge accused in %d; %d answers on average",
		runs, certified, wrong, found, accused, answers/runs)
	if wrong > judgingDelta*runs || accused > 12 || found < 80 || certified < 95 {
		t.Error("too many errors")
	}
}
