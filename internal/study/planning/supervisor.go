package planning

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

const (
	lookEvery           = time.Second
	minPause            = 20 * time.Millisecond  // between two steps of a study
	maxQueued           = 64                     // planners that wait for a step, above which a process takes no more studies
	maxKept             = 1000                   // studies in memory, above which planners that rest are freed soon
	maxRest             = 10 * time.Minute       // after which a planner that rests is freed
	maxPause            = 500 * time.Millisecond // between two steps without an event
	maxRetry            = 10 * time.Second       // between two failed steps
	maxRetryUnavailable = time.Second            // the same while the store is unavailable
)

// A Supervisor plans studies of a store, in one of perhaps several processes, which take their leases from the store.
type Supervisor struct {
	Environment

	Left func(id string) // called with the id of a study that is over
}

// Run plans due studies until the context ends, and then frees its leases. Each study has
// one goroutine, and another one makes studies smaller. [replay.Cores] limits the number of concurrent computations.
func (s *Supervisor) Run(ctx context.Context) {
	r := run{
		Supervisor: s, attended: map[string]*attendance{}, turns: make(chan struct{}, maxSteps()),
		urgent: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
	defer r.attending.Wait()
	r.attending.Go(func() { r.forward(ctx) })
	r.attending.Go(func() { r.listen(ctx) })
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := r.look(ctx); err != nil && ctx.Err() == nil {
			s.Report(live.AnyStudy, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.room:
		case <-tick.C:
		}
	}
}

// A run is one call of Run.
type run struct {
	*Supervisor

	attending sync.WaitGroup
	turns     chan struct{} // held during a step
	urgent    chan struct{} // one more turn, for studies with people
	queued    atomic.Int64  // planners that wait for a step, or take one
	full      atomic.Bool   // the last claim has left studies out
	room      chan struct{} // receives when there is room for them

	mutex    sync.Mutex
	attended map[string]*attendance
}

// look claims due studies, and frees planners that have rested for long. These are the only queries that quiet studies cost.
func (r *run) look(ctx context.Context) error {
	due, err := r.claim(ctx, nil)
	if err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	crowded := len(r.attended) > maxKept
	for id, a := range r.attended {
		a.free(func(rested time.Duration) bool {
			return rested > maxRest || crowded && rested > leaseFor && !due[id]
		})
	}
	return nil
}

// claim takes the leases of due studies, of all or of some, and prolongs those of this process. It starts their planners, or
// wakes them. It returns the studies.
func (r *run) claim(ctx context.Context, ids []string) (due map[string]bool, err error) {
	most := maxQueued
	if ids != nil { // people wait for them
		most = 4 * maxQueued
	}
	room := max(0, most-int(r.queued.Load()))
	pulses, err := r.Store.Attend(ctx, r.Name, r.Clock, leaseFor, room, ids)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	due = map[string]bool{}
	for _, pulse := range pulses {
		due[pulse.ID] = true
		if r.attended[pulse.ID] == nil {
			room--
		}
	}
	if room <= 0 {
		r.full.Store(true)
	}
	for _, pulse := range pulses {
		a := r.attended[pulse.ID]
		if a == nil {
			a = r.attend(ctx, pulse.ID)
		}
		a.feel(pulse)
	}
	return due, nil
}

// attend starts a goroutine that plans a study, under the mutex.
func (r *run) attend(ctx context.Context, id string) *attendance {
	a := &attendance{hurry: make(chan struct{})}
	r.attended[id] = a
	r.Observer.Attended(id)
	r.queued.Add(1)
	r.attending.Go(func() { r.steps(ctx, id, a) })
	return a
}

// steps takes steps until the study is over, has rested for long or is planned by another process, or the context ends. After a
// busy step the next one follows soon; after others it backs off, until an event wakes it. After a step that left nothing to do
// it rests until there is something to do. After an error it frees the lease.
func (r *run) steps(ctx context.Context, id string, a *attendance) {
	planner := r.Planner(id)
	over, unseen := false, false // unseen: the last step has written no plan, so the store does not know what it has seen
	defer func() {
		a.grant(planner)
		r.leave(ctx, planner, over)
	}()
	for wait := minPause; ; r.queued.Add(1) {
		rung := r.Live.PlanWork.Wait(id)
		a.grant(planner)
		activity, err := r.step(ctx, planner, a.hurry)
		if n := r.queued.Add(-1); n <= maxQueued/2 && r.full.Swap(false) {
			select {
			case r.room <- struct{}{}:
			default:
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.Report(id, err)
			_ = planner.Resign(ctx)
			wait, rung = min(2*wait, longestWait(err)), nil
		case activity == Over:
			over = true
			return
		case planner.rests != nil:
			if unseen {
				_ = planner.Resign(ctx) // otherwise the study would stay due
				unseen = false
			}
			if !a.rest(ctx, planner, rung) {
				return
			}
			wait = minPause
		case activity == Busy:
			wait = minPause
		case !planner.leads():
			return
		default:
			wait, unseen = min(2*wait, maxPause), true
		}
		if !live.Sleep(ctx, minPause, nil) || !live.Sleep(ctx, wait-minPause, rung) {
			return
		}
	}
}

// maxSteps returns the maximum number of concurrent steps of all studies. Each holds at most one connection to the database, so
// nearly half of the default pool, 4 or one per core, is left to respondents. There is one more turn for studies with people.
func maxSteps() int { return max(2, runtime.NumCPU()/2) }

// longestWait returns the maximum backoff after an error.
func longestWait(err error) time.Duration {
	if errors.Is(err, study.ErrUnavailable) {
		return maxRetryUnavailable
	}
	return maxRetry
}

// step takes a step when it is the planner's turn: many planners that wait for the store would delay respondents and
// outlast their leases. Studies with people do not wait for all others. It turns a panic into an error of this study,
// so that others continue.
func (r *run) step(ctx context.Context, p *Planner, hurry <-chan struct{}) (activity Activity, err error) {
	turn := r.turns
	select {
	case r.turns <- struct{}{}:
	case <-hurry:
		select {
		case r.turns <- struct{}{}:
		case r.urgent <- struct{}{}:
			turn = r.urgent
		case <-ctx.Done():
			return Idle, ctx.Err()
		}
	case <-ctx.Done():
		return Idle, ctx.Err()
	}
	defer func() { <-turn }()
	defer func() {
		if cause := recover(); cause != nil {
			p.memory = p.memory.forget()
			activity, err = Idle, fmt.Errorf("study: planning panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	return p.Step(ctx)
}

// leave ends planning a study. If another process plans it, leave tells that process about the event that this one has
// reacted to.
func (r *run) leave(ctx context.Context, p *Planner, over bool) {
	lost := !p.leads()
	r.turns <- struct{}{}
	err := p.Leave(ctx)
	<-r.turns
	if err != nil && ctx.Err() == nil {
		r.Report(p.id, err)
	}
	if over {
		r.Left(p.id)
	}
	r.Observer.Left(p.id)
	r.mutex.Lock()
	delete(r.attended, p.id)
	r.mutex.Unlock()
	r.Live.PlanWork.Notify(p.id) // wakes remaining waiters
	r.Live.Updates.Notify(p.id)
	if lost && ctx.Err() == nil {
		r.Live.NeedsPlan(p.id)
	}
}

// forwardEvery is the minimum time between two calls of Wake: PostgreSQL serialises commits that notify.
const forwardEvery = 50 * time.Millisecond

// forward claims studies with an event that no process plans, and wakes the planners of studies that others plan.
func (r *run) forward(ctx context.Context) {
	for {
		ids, added := r.Live.Outbox.Take()
		if len(ids) == 0 {
			select {
			case <-ctx.Done():
				return
			case <-added:
			}
			continue
		}
		if others := r.unattended(slices.Clone(ids)); len(others) > 0 {
			_, _ = r.claim(ctx, others) // processes find the work within a second
		}
		r.hasten(ids)
		if ids = r.unattended(ids); len(ids) > 0 {
			_ = r.Store.Wake(ctx, ids)
		}
		if !live.Sleep(ctx, forwardEvery, nil) {
			return
		}
	}
}

// hasten gives the planners of studies with people turns before others.
func (r *run) hasten(ids []string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, id := range ids {
		if a := r.attended[id]; a != nil && !a.hasty {
			a.hasty = true
			close(a.hurry)
		}
	}
}

// unattended returns the studies that this process does not plan.
func (r *run) unattended(ids []string) []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.DeleteFunc(ids, func(id string) bool { return r.attended[id] != nil })
}

// listen wakes planners of this process when others ask for it.
func (r *run) listen(ctx context.Context) {
	for {
		err := r.Store.Listen(ctx, func(id string) {
			r.hasten([]string{id})
			if len(r.unattended([]string{id})) == 0 {
				r.Live.PlanWork.Notify(id)
			}
		})
		if err == nil || ctx.Err() != nil {
			return
		}
		r.Report(live.AnyStudy, err)
		if !live.Sleep(ctx, longestWait(err), nil) {
			return
		}
	}
}

// An attendance is what the supervisor knows about a study that it plans. Safe for concurrent use.
type attendance struct {
	hasty   bool          // under the mutex of the run
	hurry   chan struct{} // closed when people ask or answer
	mutex   sync.Mutex
	pulse   *study.Pulse // the last one felt since the last grant, nil if there is none
	resting *Planner     // nil while the planner is at work
	since   time.Time    // when its rest began
	freed   bool
	over    chan struct{} // closed at the end of the rest
}

// grant gives the planner the lease that was taken for it, before a step or before it leaves.
func (a *attendance) grant(planner *Planner) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.pulse != nil {
		planner.until = a.pulse.Until
	}
	a.pulse = nil
}

// feel notes a pulse, and ends the planner's rest if there is something to do.
func (a *attendance) feel(pulse study.Pulse) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pulse = &pulse
	if a.resting != nil && a.resting.Wakes(pulse) {
		a.end()
	}
}

// end ends the planner's rest, under the mutex.
func (a *attendance) end() {
	close(a.over)
	a.resting = nil
}

// free ends the planner's rest for good if it has lasted long enough.
func (a *attendance) free(enough func(rested time.Duration) bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.resting != nil && enough(a.resting.env.Clock().Sub(a.since)) {
		a.freed = true
		a.end()
	}
}

// rest waits after a step that left nothing to do until there is something to do, an event rings, or the context ends. It
// returns false if the planner is free instead.
func (a *attendance) rest(ctx context.Context, planner *Planner, rung <-chan struct{}) bool {
	a.mutex.Lock()
	if a.pulse != nil && planner.Wakes(*a.pulse) {
		a.mutex.Unlock()
		return true
	}
	over := make(chan struct{})
	a.resting, a.over, a.since = planner, over, planner.env.Clock()
	a.mutex.Unlock()
	select {
	case <-ctx.Done():
	case <-rung:
	case <-over:
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.resting = nil
	return !a.freed
}
