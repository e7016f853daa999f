package endtoend

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// twoReplicas starts two processes on each database.
func twoReplicas(t *testing.T, test func(t *testing.T, replicas []*client.Client)) {
	t.Helper()
	for name, place := range map[string]func(*testing.T) place{"sqlite": sqliteFile, "postgres": postgresDatabase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := place(t)
			first := start(t, at, "")
			test(t, []*client.Client{first.Client, start(t, at, first.Token).Client})
		})
	}
}

// answerUntilDone has people answer through all replicas until the study is done, and returns the number of acknowledged
// answers.
func answerUntilDone(t *testing.T, replicas []*client.Client, id string, people int, during func()) int {
	t.Helper()
	var acknowledged atomic.Int64
	var all sync.WaitGroup
	limit := time.Now().Add(2 * time.Minute)
	for i := range people {
		all.Go(func() {
			for n := 0; ; n++ {
				c := replicas[(i+n)%len(replicas)]
				q, err := c.Ask(t.Context(), id, wire.Ask{Respondent: fmt.Sprint("r", i)})
				if err == nil {
					time.Sleep(thinking)
					if err = c.Answer(t.Context(), id, q.Token, q.Arms[0].ID); err == nil {
						acknowledged.Add(1)
						continue
					}
				}
				switch {
				case client.Is(err, wire.StudyDone):
					return
				case time.Now().After(limit):
					t.Errorf("person %d is not told that the study is done: %v", i, err)
					return
				}
				time.Sleep(300 * time.Millisecond)
			}
		})
	}
	during()
	all.Wait()
	return int(acknowledged.Load())
}

// counts waits until the verdict of a study is final, and compares its answers.
func counts(t *testing.T, c *client.Client, id, reason string, acknowledged int) {
	t.Helper()
	var v wire.Verdict
	eventually(t, fmt.Sprintf("%d acknowledged answers are counted", acknowledged), 30*time.Second, func() bool {
		v = testsupport.Value(c.Verdict(t.Context(), id)).OrFail(t)
		return v.State == wire.StateDone && v.Answers >= acknowledged
	})
	if v.Answers != acknowledged || v.Reason != reason {
		t.Errorf("%d answers of %d acknowledged ones are counted, and the study is %s", v.Answers, acknowledged, v.Reason)
	}
	verified(t, c, id)
}

// TestBudgetIsExact: 64 people cannot exceed a budget of 100 through two replicas, with the default grace, and every
// acknowledged answer is counted.
func TestBudgetIsExact(t *testing.T) {
	t.Parallel()
	world := someArms(t, 10, 0.15, 4)
	twoReplicas(t, func(t *testing.T, replicas []*client.Client) {
		t.Helper()
		for _, settings := range []wire.Settings{{K: 3, Delta: 1e-6}, {K: 3, Delta: 1e-6, Assume: "majority", Picks: 1}} {
			t.Run(settings.Assume, func(t *testing.T) {
				t.Parallel()
				settings.Budget = new(100)
				id := world.newStudy(t, replicas[0], settings)
				acknowledged := answerUntilDone(t, replicas, id, 64, func() {})
				if acknowledged != 100 {
					t.Errorf("%d answers are acknowledged", acknowledged)
				}
				counts(t, replicas[1], id, "spent", acknowledged)
			})
		}
	})
}

// TestClosingCounts: an answer that is acknowledged while a study is closed, or reaches its deadline, is counted.
func TestClosingCounts(t *testing.T) {
	t.Parallel()
	closingCounts(t, 2)
}

// closingCounts closes a study under load, and lets one reach its deadline, the given number of times on each database.
func closingCounts(t *testing.T, times int) {
	t.Helper()
	world := someArms(t, 10, 0.15, 4)
	twoReplicas(t, func(t *testing.T, replicas []*client.Client) {
		t.Helper()
		for i := range times {
			id := world.newStudy(t, replicas[0], wire.Settings{K: 3, Delta: 1e-9})
			acknowledged := answerUntilDone(t, replicas, id, 24, func() {
				time.Sleep(300*time.Millisecond + time.Duration(i)*7*time.Millisecond)
				testsupport.Value(replicas[1].Close(t.Context(), id)).OrFail(t)
			})
			counts(t, replicas[0], id, "stopped", acknowledged)
			id = world.newStudy(t, replicas[0], wire.Settings{K: 3, Delta: 1e-9, Deadline: new(time.Now().Add(2 * time.Second))})
			counts(t, replicas[0], id, "expired", answerUntilDone(t, replicas, id, 24, func() {}))
		}
	})
}

// TestBurst lets a hundred people arrive in a new study at the same time. Everyone is dealt a hand soon, although the deck
// has few questions at first.
func TestBurst(t *testing.T) {
	const people, limit = 100, 10 * time.Second
	p := start(t, sqliteFile(t), "")
	id := someArms(t, 6, 0.2, 1).newStudy(t, p.Client, wire.Settings{Assume: "majority"})
	waited, errs := make([]time.Duration, people), make([]error, people)
	var all sync.WaitGroup
	began := time.Now()
	for i := range people {
		all.Go(func() {
			for waited[i] == 0 || errs[i] != nil && waited[i] < limit {
				_, errs[i] = p.Ask(t.Context(), id, wire.Ask{Respondent: fmt.Sprint("r", i)})
				waited[i] = time.Since(began)
			}
		})
	}
	testsupport.Wait(t, "questions", all.Wait)
	longest := time.Duration(0)
	for i, err := range errs {
		testsupport.NoError(t, err)
		longest = max(longest, waited[i])
	}
	t.Logf("the last of %d people was asked after %v", people, longest)
	if longest > limit {
		t.Errorf("the last of %d people was asked after %v", people, longest)
	}
	p.stop(t)
}
