package study

import (
	"context"
	"runtime"
	"sync"
	"time"
)

const (
	survey = time.Second            // between two looks at which studies there are
	pace   = 20 * time.Millisecond  // between two steps of a study, at least
	rest   = 500 * time.Millisecond // and at most, whether or not something is known to have happened
)

// anything is the bell that rings when a study may have become open.
const anything = ""

// Run plans all open studies until the context ends, and then lets others lead. One goroutine
// attends each study; as many as there are cores do mathematics at a time.
func (s *Service) Run(ctx context.Context) {
	r := run{Service: s, cores: make(chan struct{}, runtime.GOMAXPROCS(0)), attended: map[string]bool{}}
	defer r.attending.Wait()
	for {
		rung := s.work.wait(anything)
		if err := r.look(ctx); err != nil && ctx.Err() == nil {
			s.report(anything, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-rung:
		case <-time.After(survey):
		}
	}
}

// A run is one call of Run.
type run struct {
	*Service

	attending sync.WaitGroup
	cores     chan struct{}
	mutex     sync.Mutex
	attended  map[string]bool
}

// look finds the studies that are open and not attended.
func (r *run) look(ctx context.Context) error {
	active, err := r.store.Active(ctx)
	if err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, id := range active {
		if !r.attended[id] {
			r.attended[id] = true
			r.attending.Go(func() { r.attend(ctx, id) })
		}
	}
	return nil
}

// attend takes steps until the study is over. After a step that had something to do the next one
// comes soon; after others it waits longer and longer, unless something happens.
func (r *run) attend(ctx context.Context, id string) {
	planner := r.Planner(id)
	defer r.leave(ctx, planner)
	for wait := pace; ; wait = min(2*wait, rest) {
		rung := r.work.wait(id)
		r.cores <- struct{}{}
		activity, err := planner.Step(ctx)
		<-r.cores
		switch {
		case ctx.Err() != nil || err == nil && activity == Over:
			return
		case err != nil:
			r.report(id, err)
		case activity == Busy:
			wait = pace / 2 // becomes pace
		}
		if !sleep(ctx, pace, nil) || !sleep(ctx, wait, rung) {
			return
		}
	}
}

// leave ends attending a study.
func (r *run) leave(ctx context.Context, p *Planner) {
	if err := p.Resign(context.WithoutCancel(ctx)); err != nil && ctx.Err() == nil {
		r.report(p.id, err)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.attended, p.id)
	r.clearDesk(p.id)
}

// sleep waits for some time, or until a bell rings, and reports whether to go on.
func sleep(ctx context.Context, d time.Duration, rung <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-rung:
	case <-timer.C:
	}
	return true
}
