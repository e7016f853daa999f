package live

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/study"
)

// maxAge is the maximum age of a cached study.
const maxAge = 200 * time.Millisecond

// CachedStudy returns a study as it was at most maxAge ago, so that not every question and answer
// reads it from the store. Changes by this process are visible at once.
func (c *Studies) CachedStudy(ctx context.Context, id string) (st study.Study, err error) {
	now, fresh := c.clock(), false
	c.with(id, false, func(e *entry) {
		age := now.Sub(e.read)
		st, fresh = e.study, age >= 0 && age < maxAge
	})
	if fresh {
		return st, nil
	}
	st, err = c.store.Study(ctx, id)
	switch {
	case err == nil:
		c.with(id, true, func(e *entry) { e.study, e.read = st, now })
	case errors.Is(err, study.ErrNotFound):
		c.Drop(id)
	}
	return st, err
}

// KnownStudy returns a study as this process has last read it, however long ago that was.
func (c *Studies) KnownStudy(ctx context.Context, id string) (st study.Study, err error) {
	known := false
	c.with(id, false, func(e *entry) { st, known = e.study, e.study.ID != "" })
	if known {
		return st, nil
	}
	return c.CachedStudy(ctx, id)
}

// Confirm notes that a study had a version at a time, so that CachedStudy need not read it.
func (c *Studies) Confirm(id string, version int, at time.Time) {
	c.with(id, false, func(e *entry) {
		if e.study.Version == version && !e.read.IsZero() && at.After(e.read) {
			e.read = at
		}
	})
}

// AnyStudy is the id of events that concern no particular study.
const AnyStudy = ""

// Changed makes the next CachedStudy read a study again, and notifies planners and people.
func (c *Studies) Changed(id string) {
	c.Stale(id)
	c.NeedsPlan(id)
	c.Updates.Notify(id)
}

// NeedsPlan wakes the planner of a study, in this process or another.
func (c *Studies) NeedsPlan(id string) {
	c.PlanWork.Notify(id)
	c.Outbox.add(id)
}

// Recorded wakes the planner of a study after an outcome, unless plans gather outcomes.
func (c *Studies) Recorded(id string) {
	if !c.Gather {
		c.NeedsPlan(id)
	}
}

// Claimed wakes the planner of a study after questions were claimed, unless plans gather outcomes and many are left: then
// the planner looks within a second.
func (c *Studies) Claimed(id string, low bool) {
	if low || !c.Gather {
		c.NeedsPlan(id)
	}
}

// Stale makes the next CachedStudy read a study again.
func (c *Studies) Stale(id string) {
	c.with(id, false, func(e *entry) { e.read = time.Time{} })
}
