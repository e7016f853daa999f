//go:build long

package endtoend

import (
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestLongValidity runs 100 studies at δ = 0.1. Fifty people answer concurrently over HTTP, think
// for a while, abandon questions, and send answers twice. At most one in ten verdicts may be wrong.
// Racing is conservative, so more than ten of a hundred would not be bad luck.
func TestLongValidity(t *testing.T) {
	const studies = 100
	at := sqliteFile(t)
	p := start(t, at, "")
	crowd := &people{
		studies: map[string]truth{}, reach: func(int) *client.Client { return p.Client },
		delay: 10 * time.Millisecond, abandon: 0.03, duplicate: 0.05, acknowledged: map[string]said{},
	}
	for i := range studies {
		world := someArms(t, 8, 0.2, uint64(i))
		crowd.studies[world.newStudy(t, p.Client, wire.Settings{K: 3, Delta: 0.1, Grace: -1, Lease: 1})] = world
	}
	begin := time.Now()
	crowd.answer(t.Context(), 50, "r")
	certified, wrong, answers := 0, 0, 0
	for id, world := range crowd.studies {
		verdict := testsupport.Value(p.Verdict(t.Context(), id)).OrFail(t)
		answers += verdict.Answers
		if verdict.Reason == "certified" {
			certified++
			if verdict.Leader.ID != world.best {
				wrong++
			}
		}
	}
	took := time.Since(begin)
	p.stop(t)
	crowd.checked(t, at)
	t.Logf("%d of %d certified, %d wrong; %d answers, %.0f per second", certified, studies, wrong, answers, float64(answers)/took.Seconds())
	if wrong > studies/10 || certified < studies*9/10 {
		t.Errorf("%d of %d certified, %d wrong", certified, studies, wrong)
	}
}
