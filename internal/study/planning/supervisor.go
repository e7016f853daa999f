package planning

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

const (
	minPause            = 20 * time.Millisecond  // between two steps of a study
	maxRest             = 10 * time.Minute       // after which a planner that rests is freed
	maxPause            = 500 * time.Millisecond // between two steps without an event
	maxRetry            = 10 * time.Second       // between two failed steps
	maxRetryUnavailable = time.Second            // the same while the store is unavailable
)

// A Supervisor plans open studies of a store, in one of perhaps several processes, which share the studies evenly.
type Supervisor struct {
	Environment

	Left func(id string) // called with the id of a study that is over
}

// Run plans open studies until the context ends, and then gives up its leases. Each study has
// one goroutine, and another one makes studies smaller. [replay.Cores] limits the number of concurrent computations.
func (s *Supervisor) Run(ctx context.Context) {
	r := run{
		Supervisor: s, members: members{name: s.Name}, attended: map[string]*attendance{}, turns: make(chan struct{}, maxSteps()),
	}
	defer r.attending.Wait()
	defer r.members.depart(ctx, s.Store)
	r.attending.Go(func() { r.forward(ctx) })
	r.attending.Go(func() { r.listen(ctx) })
	heartbeat := time.NewTicker(beatEvery)
	defer heartbeat.Stop()
	for due := true; ; {
		rung := s.Live.PlanWork.Wait(live.AnyStudy)
		if err := r.look(ctx, due); err != nil && ctx.Err() == nil {
			s.Report(live.AnyStudy, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-rung:
			due = false
		case <-heartbeat.C:
			due = true
		}
	}
}

// A run is one call of Run.
type run struct {
	*Supervisor

	members   members
	attending sync.WaitGroup
	turns     chan struct{} // held during a step
	unsettled int           // heartbeats until the studies of gained shards are all attended

	mutex    sync.Mutex
	live     []study.Replica
	shards   map[int]bool // that this process plans
	attended map[string]*attendance
}

// look begins to plan the studies of this process with something to do, wakes their planners, and hands over the studies
// that other processes plan. It frees those that have rested for long. If a heartbeat is due, it sends one first. These
// are the only queries that quiet studies cost.
func (r *run) look(ctx context.Context, due bool) error {
	if due {
		if err := r.beat(ctx); err != nil {
			return err
		}
	}
	r.mutex.Lock()
	attended := slices.Sorted(maps.Keys(r.attended))
	r.mutex.Unlock()
	active, err := r.Store.Active(ctx, slices.Sorted(maps.Keys(r.shards)), r.Clock(), attended)
	if err != nil {
		return err
	}
	now := map[string]study.Pulse{}
	for _, pulse := range active {
		now[pulse.ID] = pulse
		r.attend(ctx, pulse)
	}
	r.mutex.Lock()
	for id, a := range r.attended {
		if !r.shards[a.shard] || !a.feel(now[id], r.Clock()) {
			a.stop()
		}
	}
	r.mutex.Unlock()
	if !due || r.unsettled == 0 {
		return nil
	}
	return r.finish(ctx)
}

// beat sends a heartbeat. When replicas have joined or left, it takes the shards that now belong to this process.
func (r *run) beat(ctx context.Context) error {
	replicas, err := r.members.beat(ctx, r.Store, r.Clock())
	if err != nil || slices.EqualFunc(replicas, r.live, func(a, b study.Replica) bool { return a.Name == b.Name }) {
		return err
	}
	shards := map[int]bool{}
	for _, shard := range shardsOf(r.Name, replicas) {
		if shards[shard] = true; !r.shards[shard] {
			r.unsettled = maxSilent
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.live, r.shards = replicas, shards
	return nil
}

// finish begins to plan the studies of this process that were stopped before their outcomes were counted. The replica that
// planned the studies of a gained shard before hands them over at one of its own heartbeats, and a study may end until
// then. So finish is called at many heartbeats after a gain.
func (r *run) finish(ctx context.Context) error {
	stopped, err := r.Store.Uncounted(ctx, slices.Sorted(maps.Keys(r.shards)))
	if err != nil {
		return err
	}
	r.unsettled--
	for _, pulse := range stopped {
		r.attend(ctx, pulse)
	}
	return nil
}

// attend starts a goroutine that plans a study, unless there is one.
func (r *run) attend(ctx context.Context, pulse study.Pulse) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.attended[pulse.ID] != nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	a := &attendance{shard: pulse.Shard, stop: stop}
	r.attended[pulse.ID] = a
	r.Observer.Attended(pulse.ID)
	r.attending.Go(func() {
		defer stop()
		r.steps(ctx, pulse.ID, a)
	})
}

// steps takes steps until the study is over, or the context ends. After a busy step the next one follows soon; after
// others it backs off, until an event wakes it. Only the planner with the lease reacts to events.
// After a step that left nothing to do it rests until there is something to do. After an error it gives up the lease.
func (r *run) steps(ctx context.Context, id string, a *attendance) {
	planner := r.Planner(id)
	defer r.leave(ctx, planner)
	for wait := minPause; ; {
		rung := r.Live.PlanWork.Wait(id)
		a.begin()
		activity, err := r.step(ctx, planner)
		switch {
		case ctx.Err() != nil || err == nil && activity == Over:
			return
		case err != nil:
			r.Report(id, err)
			_ = planner.Resign(ctx)
			wait, rung = min(2*wait, longestWait(err)), nil
		case planner.rests != nil:
			a.rest(ctx, planner, rung)
			wait = minPause
		case activity == Busy:
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

// maxSteps returns the maximum number of concurrent steps of all studies. Each holds at most one connection to the
// database, so half of the default pool, 4 or one per core, is left to respondents.
func maxSteps() int { return max(2, runtime.NumCPU()/2) }

// longestWait returns the maximum backoff after an error.
func longestWait(err error) time.Duration {
	if errors.Is(err, study.ErrUnavailable) {
		return maxRetryUnavailable
	}
	return maxRetry
}

// step takes a step when it is the planner's turn: many planners that wait for the store would delay respondents and
// outlast their leases. It turns a panic into an error of this study, so that others continue.
func (r *run) step(ctx context.Context, p *Planner) (activity Activity, err error) {
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-ctx.Done():
		return Idle, ctx.Err()
	}
	defer func() {
		if cause := recover(); cause != nil {
			p.memory = p.memory.forget()
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
	if ctx.Err() == nil {
		r.Left(p.id)
	}
	r.Observer.Left(p.id)
	r.mutex.Lock()
	delete(r.attended, p.id)
	r.mutex.Unlock()
	r.Live.PlanWork.Notify(p.id) // wakes remaining waiters
	r.Live.Updates.Notify(p.id)
}

// forwardEvery is the minimum time between two calls of Wake: PostgreSQL serialises commits that notify.
const forwardEvery = 50 * time.Millisecond

// forward wakes the planners of studies that other processes plan.
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
		if ids = r.plannedByOthers(ids); len(ids) > 0 {
			_ = r.Store.Wake(ctx, ids) // other processes find the work within a second
		}
		if !live.Sleep(ctx, forwardEvery, nil) {
			return
		}
	}
}

// plannedByOthers returns the studies that other processes plan.
func (r *run) plannedByOthers(ids []string) []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.live) < 2 {
		return nil
	}
	return slices.DeleteFunc(ids, func(id string) bool { return r.attended[id] != nil })
}

// listen wakes planners of this process when others ask for it.
func (r *run) listen(ctx context.Context) {
	for {
		err := r.Store.Listen(ctx, r.woken)
		if err == nil || ctx.Err() != nil {
			return
		}
		r.Report(live.AnyStudy, err)
		if !live.Sleep(ctx, longestWait(err), nil) {
			return
		}
	}
}

// woken wakes the planner of a study, or looks for the study if it is new to this process.
func (r *run) woken(id string, shard int) {
	r.mutex.Lock()
	attended, ours := r.attended[id] != nil, r.shards[shard]
	r.mutex.Unlock()
	switch {
	case attended:
		r.Live.PlanWork.Notify(id)
	case ours:
		r.Live.PlanWork.Notify(live.AnyStudy)
	}
}
