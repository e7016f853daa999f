package planning

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

const (
	listEvery           = time.Second            // between two lists of the active studies
	minPause            = 20 * time.Millisecond  // between two steps of a study
	maxPause            = 500 * time.Millisecond // between two steps without an event
	maxRetry            = 10 * time.Second       // between two failed steps
	maxRetryUnavailable = time.Second            // the same while the store is unavailable
)

// A Supervisor plans all open studies of a store, in one of perhaps several processes.
type Supervisor struct {
	Environment

	Left func(id string) // called with the id of a study that is no longer planned here
}

// Run plans all open studies until the context ends, and then gives up its leases. Each study has
// one goroutine, and another one makes studies smaller. [replay.Cores] limits the number of concurrent computations.
func (s *Supervisor) Run(ctx context.Context) {
	r := run{Supervisor: s, attended: map[string]*attendance{}}
	defer r.attending.Wait()
	r.attending.Go(func() { s.compact(ctx) })
	for finished := false; ; {
		rung := s.Live.PlanWork.Wait(live.AnyStudy)
		err := r.look(ctx)
		if err == nil && !finished {
			err = r.finish(ctx)
			finished = err == nil
		}
		if err != nil && ctx.Err() == nil {
			s.Report(live.AnyStudy, err)
		}
		if !live.Sleep(ctx, listEvery, rung) {
			return
		}
	}
}

// A run is one call of Run.
type run struct {
	*Supervisor

	attending sync.WaitGroup
	mutex     sync.Mutex
	attended  map[string]*attendance
}

// look starts planning all active studies, and wakes the planners that have something to do. It is the only query that quiet
// studies cost.
func (r *run) look(ctx context.Context) error {
	active, err := r.Store.Active(ctx)
	if err != nil {
		return err
	}
	now := map[string]study.Pulse{}
	for _, pulse := range active {
		now[pulse.ID] = pulse
		r.attend(ctx, pulse)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for id, a := range r.attended {
		a.feel(now[id])
	}
	return nil
}

// finish starts planning the studies that were stopped while no process planned, and that have
// uncounted outcomes.
func (r *run) finish(ctx context.Context) error {
	const page = 100
	for before := ""; ; {
		studies, err := r.Store.List(ctx, before, page)
		if err != nil || len(studies) == 0 {
			return err
		}
		for _, st := range studies {
			before = st.ID
			if st.State != study.Done || !st.Reason.Closed() {
				continue
			}
			last, err := r.Store.Last(ctx, st.ID)
			if err != nil && !errors.Is(err, study.ErrNotFound) {
				return err
			}
			untold, err := r.Store.Log(ctx, st.ID, last.Upto, 1)
			if err != nil && !errors.Is(err, study.ErrNotFound) {
				return err
			}
			if len(untold) > 0 {
				r.attend(ctx, study.Pulse{ID: st.ID})
			}
		}
	}
}

// attend starts a goroutine that plans a study, unless there is one.
func (r *run) attend(ctx context.Context, pulse study.Pulse) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.attended[pulse.ID] == nil {
		a := &attendance{pulse: pulse}
		r.attended[pulse.ID] = a
		r.attending.Go(func() { r.steps(ctx, pulse.ID, a) })
	}
}

// steps takes steps until the study is over. After a busy step the next one follows soon; after
// others it backs off, until an event wakes it. Only the planner with the lease reacts to events.
// After a quiet step it rests until there is something to do. After an error it gives up the lease,
// so that another process can try.
func (r *run) steps(ctx context.Context, id string, a *attendance) {
	planner := r.Planner(id)
	defer r.leave(ctx, planner)
	for wait := minPause; ; {
		rung := r.Live.PlanWork.Wait(id)
		before := a.last()
		activity, err := stepRecovered(ctx, planner)
		switch {
		case ctx.Err() != nil || err == nil && activity == Over:
			return
		case err != nil:
			r.Report(id, err)
			_ = planner.Resign(ctx)
			wait, rung = min(2*wait, longestWait(err)), nil
		case activity == Busy:
			wait = minPause
		case activity == Quiet:
			a.rest(ctx, planner, before, rung)
			wait = minPause
		case !planner.leads():
			wait, rung = maxPause, nil
		default:
			wait = min(2*wait, maxPause)
		}
		if !live.Sleep(ctx, minPause, nil) || !live.Sleep(ctx, wait-minPause, rung) {
			return
		}
	}
}

// longestWait returns the maximum backoff after an error.
func longestWait(err error) time.Duration {
	if errors.Is(err, study.ErrUnavailable) {
		return maxRetryUnavailable
	}
	return maxRetry
}

// stepRecovered takes a step. It turns a panic into an error of this study, so that others
// continue.
func stepRecovered(ctx context.Context, p *Planner) (activity Activity, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			p.forget()
			activity, err = Idle, fmt.Errorf("study: planning panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	return p.Step(ctx)
}

// leave ends planning a study.
func (r *run) leave(ctx context.Context, p *Planner) {
	if err := p.Leave(ctx); err != nil && ctx.Err() == nil {
		r.Report(p.id, err)
	}
	r.mutex.Lock()
	delete(r.attended, p.id)
	r.mutex.Unlock()
	r.Left(p.id)
	r.Observer.Left(p.id)
	r.Live.PlanWork.Notify(p.id) // wakes remaining waiters
	r.Live.Updates.Notify(p.id)
}
