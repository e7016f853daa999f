package planning

import (
	"context"
	"errors"
	"sync"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

// leaseFor is how long a planning lease lasts: a planner that is silent for longer is replaced.
const leaseFor = 2 * time.Second

// leads reports whether this planner holds the lease, as far as it knows.
func (p *Planner) leads() bool { return !p.until.IsZero() }

// Resign gives up the lease, so that another planner can take over at once.
func (p *Planner) Resign(ctx context.Context) error {
	if !p.leads() {
		return nil
	}
	now := p.supervisor.Clock()
	p.until = time.Time{}
	err := p.supervisor.Store.Lead(ctx, p.id, p.supervisor.Name, now, now)
	if errors.Is(err, study.ErrNotYours) || errors.Is(err, study.ErrNotFound) {
		return nil // there was nothing to give up
	}
	return err
}

// leading calls do while this planner holds the lease, and prolongs the lease meanwhile. If another
// planner takes over, the context of do ends and leading returns ErrNotYours.
func (p *Planner) leading(ctx context.Context, do func(context.Context) error) error {
	if err := p.lead(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var prolonging sync.WaitGroup
	prolonging.Go(func() { cancel(p.prolong(ctx)) })
	err := do(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, study.ErrNotYours) {
		err = cause
	}
	cancel(nil)
	prolonging.Wait()
	if errors.Is(err, study.ErrNotYours) || errors.Is(err, study.ErrChanged) {
		p.supervisor.Observer.Discarded(p.id)
	}
	return err
}

// lead acquires the lease, or prolongs it when less than half of it is left. The store may keep the call
// waiting, while the lease that it asks for runs out. So the time left counts from the return of the call.
func (p *Planner) lead(ctx context.Context) error {
	now := p.supervisor.Clock()
	left := p.until.Sub(now)
	lapsed := left <= 0 || left > leaseFor // more than it ever was: the clock was set back
	if !lapsed && left >= leaseFor/2 {
		return nil
	}
	for range 2 {
		p.until = now // if it fails, the holder of the lease is unknown
		if err := p.acquire(ctx, now); err != nil {
			return err
		}
		p.until = now.Add(leaseFor)
		if now = p.supervisor.Clock(); p.until.Sub(now) >= leaseFor/2 {
			break
		}
	}
	if !p.until.After(now) {
		return study.ErrNotYours
	}
	if lapsed {
		return p.recall(ctx)
	}
	return nil
}

// acquire asks the store for the lease. It takes over from a planner that has been silent for too long.
func (p *Planner) acquire(ctx context.Context, now time.Time) error {
	store, until := p.supervisor.Store, now.Add(leaseFor)
	err := store.Lead(ctx, p.id, p.supervisor.Name, now, until)
	if led, ok := errors.AsType[*study.LedError](err); ok && p.rival.silent(led.Until, now) {
		return store.Lead(ctx, p.id, p.supervisor.Name, led.Until, until) // unless it was prolonged just now
	}
	return err
}

// prolong prolongs the lease until the context ends, and then returns nil. It returns ErrNotYours as soon as
// another planner holds the lease. It tries again after other errors: if they last, the plan fails too.
func (p *Planner) prolong(ctx context.Context) error {
	for wait := leaseFor / 3; ; {
		if !live.Sleep(ctx, wait, nil) {
			return nil
		}
		now := p.supervisor.Clock()
		err := p.supervisor.Store.Lead(ctx, p.id, p.supervisor.Name, now, now.Add(leaseFor))
		switch {
		case errors.Is(err, study.ErrNotYours):
			return study.ErrNotYours
		case err == nil:
			p.until = now.Add(leaseFor)
		}
		if wait = leaseFor / 3; err == nil && p.supervisor.Clock().Sub(now) > wait {
			wait = 0 // the call had to wait: the lease is half over
		}
	}
}
