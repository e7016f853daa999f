//go:build long

package endtoend

import (
	"slices"
	"sync"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestLongSharedStudies: three replicas share 5,000 studies evenly. When one is killed, the others attend its studies within
// 5 seconds.
func TestLongSharedStudies(t *testing.T) {
	const (
		studies = 5000
		within  = 5 * time.Second
		probes  = 60
	)
	at := postgresDatabase(t)
	first := start(t, at, "")
	replicas := []*process{first, start(t, at, first.Token), start(t, at, first.Token)}
	world := someArms(t, 6, 0.05, 1)
	ids := make([]string, studies)
	var creating sync.WaitGroup
	for i, r := range replicas {
		creating.Go(func() {
			for j := i; j < studies && !t.Failed(); j += len(replicas) {
				ids[j] = world.newStudy(t, r.Client, wire.Settings{K: 2, Grace: -1, Delta: 1e-9})
			}
		})
	}
	if creating.Wait(); t.Failed() {
		return
	}
	shared := func(replicas []*process) (equal bool) {
		sum, least, most := 0, studies, 0
		for _, r := range replicas {
			n := int(r.metric(t, "bestpick_studies_attended"))
			sum, least, most = sum+n, min(least, n), max(most, n)
		}
		share := studies / len(replicas)
		return sum == studies && least >= share*8/10 && most <= share*12/10
	}
	settled := awaited(t, time.Minute, func() bool { return shared(replicas) })
	t.Logf("three replicas share %d studies %v after the last one was opened", studies, settled)
	for _, r := range replicas {
		t.Logf("one attends %v", r.metric(t, "bestpick_studies_attended"))
	}
	time.Sleep(30 * time.Second) // until all are planned and quiet
	measure := func(what string, replicas []*process, ids []string) {
		var took []time.Duration
		for i, id := range ids {
			took = append(took, counted(t, replicas[i%len(replicas)].Client, id))
		}
		slices.Sort(took)
		t.Logf("%s: an answer was counted after %v in the median, at most %v", what, took[len(took)/2], took[len(took)-1])
	}
	measure("with three replicas", replicas, ids[:probes])
	replicas[2].kill()
	reassigned := awaited(t, time.Minute, func() bool { return shared(replicas[:2]) })
	t.Logf("all studies are attended %v after a replica was killed", reassigned)
	if reassigned > within {
		t.Errorf("all studies are attended %v after a replica was killed, want at most %v", reassigned, within)
	}
	measure("right after that", replicas[:2], ids[probes:2*probes])
	replicas = append(replicas[:2], start(t, at, first.Token))
	t.Logf("three replicas share the studies %v after one joined", awaited(t, time.Minute, func() bool { return shared(replicas) }))
	for _, r := range replicas {
		r.stop(t)
	}
}

// counted answers a question, and returns how long it takes until the answer is counted.
func counted(t *testing.T, c *client.Client, id string) time.Duration {
	t.Helper()
	before := testsupport.Value(c.Verdict(t.Context(), id)).OrFail(t)
	question := testsupport.Value(c.Ask(t.Context(), id, wire.Ask{Respondent: id})).OrFail(t)
	testsupport.NoError(t, c.Answer(t.Context(), id, question.Token, question.Arms[0].ID))
	return awaited(t, time.Minute, func() bool {
		verdict := testsupport.Value(c.Verdict(t.Context(), id)).OrFail(t)
		return verdict.Answers > before.Answers
	})
}

// awaited returns how long it takes until a condition holds.
func awaited(t *testing.T, most time.Duration, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for ; !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > most {
			t.Fatalf("the condition does not hold after %v", most)
		}
	}
	return time.Since(began).Round(time.Millisecond)
}
