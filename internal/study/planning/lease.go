package planning

import (
	"context"
	"errors"
	"sync"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

// leaseFor is the duration of a planning lease. A planner that is silent for longer is replaced.
const leaseFor = 2 * time.Second

// A lease makes this planner the only planner of a study until it expires.
type lease struct {
	env   *Environment
	id    string    // of the study
	until time.Time // when the lease ends; zero if another planner holds it
	seen  int       // version of the study for which nothing is left to do, or 0
}

// leads reports whether this planner holds the lease, as far as it knows.
func (l *lease) leads() bool { return !l.until.IsZero() }

// Resign frees the lease, so that another planner can take over at once.
func (l *lease) Resign(ctx context.Context) error {
	l.until = time.Time{}
	err := l.env.Store.Release(ctx, l.id, l.env.Name, l.seen)
	if errors.Is(err, study.ErrBusy) || errors.Is(err, study.ErrNotFound) {
		return nil // the lease ends soon, or there is none
	}
	return err
}

// leading calls do while this planner holds the lease, and prolongs the lease meanwhile. If another planner takes over, the
// context of do ends and leading returns ErrNotYours.
func (l *lease) leading(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var prolonging sync.WaitGroup
	prolonging.Go(func() { cancel(l.prolong(ctx)) })
	err := do(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, study.ErrNotYours) {
		err = cause
	}
	cancel(nil)
	prolonging.Wait()
	if errors.Is(err, study.ErrNotYours) || errors.Is(err, study.ErrChanged) {
		l.env.Observer.Discarded(l.id)
	}
	return err
}

// lead acquires the lease, or prolongs it when less than half of it is left, and reads the work. The call to the store
// may block while the requested lease runs. So the time left counts from the return of the call.
func (l *lease) lead(ctx context.Context) (work study.Work, err error) {
	now := l.env.Clock()
	if left := l.until.Sub(now); left >= leaseFor/2 && left <= leaseFor { // longer than a lease lasts: the clock was set back
		return l.env.Store.Look(ctx, l.id)
	}
	for range 2 {
		l.until = now // if it fails, the holder of the lease is unknown
		if work, err = l.env.Store.AcquireLease(ctx, l.id, l.env.Name, now, now.Add(leaseFor)); err != nil {
			return work, err
		}
		l.until = now.Add(leaseFor)
		if now = l.env.Clock(); l.until.Sub(now) >= leaseFor/2 {
			break
		}
	}
	if !l.until.After(now) {
		return work, study.ErrNotYours
	}
	return work, nil
}

// prolong prolongs the lease until the context ends, and then returns nil. It returns ErrNotYours as soon as
// another planner holds the lease. It tries again after other errors: if they last, the plan fails too.
func (l *lease) prolong(ctx context.Context) error {
	for wait := leaseFor / 3; ; {
		if !live.Sleep(ctx, wait, nil) {
			return nil
		}
		now := l.env.Clock()
		_, err := l.env.Store.AcquireLease(ctx, l.id, l.env.Name, now, now.Add(leaseFor))
		switch {
		case errors.Is(err, study.ErrNotYours):
			return study.ErrNotYours
		case err == nil:
			l.until = now.Add(leaseFor)
		}
		if wait = leaseFor / 3; err == nil && l.env.Clock().Sub(now) > wait {
			wait = 0 // the call had to wait: the lease is half over
		}
	}
}

// outlast returns a context that ends some time after another one, so that a write can finish while the process stops.
func outlast(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		live.Sleep(longer, by, nil)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}
