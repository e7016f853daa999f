package endtoend

import (
	"context"
	"sync"
	"testing"
	"time"

	"bestpick/internal/testsupport"
)

func TestRollingRestarts(t *testing.T) {
	rollingRestarts(t, postgresDatabase(t), haproxy(), rolling{people: 20, restarts: 2, think: 200 * time.Millisecond, drain: 2 * time.Second})
}

// rolling configures rolling restarts: how replicas are restarted, and how many people answer
// meanwhile.
type rolling struct {
	people, restarts int
	think, drain     time.Duration
}

// rollingRestarts restarts two replicas in turn while people answer and an owner reads the verdict.
// No request fails, and no answer is lost.
func rollingRestarts(t *testing.T, at place, front balancer, r rolling) {
	t.Helper()
	f := newFleet(t, at, front, r.drain)
	crowd := f.respondents(r.think)
	f.while(crowd, r.people, func() {
		looking, stop := context.WithCancel(t.Context())
		var owner sync.WaitGroup
		owner.Go(func() { f.look(looking, crowd) })
		for i := range r.restarts {
			f.restart(i % 2)
		}
		stop()
		testsupport.Wait(t, "owner", owner.Wait)
	})
	f.unharmed(crowd)
	for _, replica := range f.replicas {
		replica.stop(t)
	}
}

// look has an owner read the verdicts repeatedly.
func (f *fleet) look(ctx context.Context, crowd *people) {
	for ctx.Err() == nil {
		for id := range crowd.studies {
			if _, err := f.Verdict(ctx, id); err != nil && ctx.Err() == nil {
				f.Errorf("reading the verdict: %v", err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
