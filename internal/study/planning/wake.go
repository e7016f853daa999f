package planning

import (
	"context"
	"slices"
	"time"

	"bestpick/internal/study/live"
)

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
