package planning

import (
	"context"
	"sync"

	"bestpick/internal/study"
)

// An attendance is what the supervisor knows about a study that it plans. Safe for concurrent use.
type attendance struct {
	shard   int
	stop    context.CancelFunc // hands the study over to another process
	mutex   sync.Mutex
	pulse   study.Pulse // the last one felt
	resting *rest       // nil while the planner is at work
}

// A rest is a planner's wait until there is something to do.
type rest struct {
	planner *Planner
	before  study.Pulse // before its last step
	over    chan struct{}
}

// last returns the pulse felt last.
func (a *attendance) last() study.Pulse {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.pulse
}

// feel notes a pulse, which is empty if the study is no longer active, and ends the planner's rest if there is something to do.
func (a *attendance) feel(pulse study.Pulse) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pulse = pulse
	if a.resting != nil && a.resting.planner.Wakes(a.resting.before, pulse) {
		close(a.resting.over)
		a.resting = nil
	}
}

// rest waits after a quiet step until there is something to do, an event rings, or the context ends. The pulse is that of the
// study before the step: what has happened since may have escaped the step.
func (a *attendance) rest(ctx context.Context, planner *Planner, before study.Pulse, rung <-chan struct{}) {
	a.mutex.Lock()
	if planner.Wakes(before, a.pulse) {
		a.mutex.Unlock()
		return
	}
	over := make(chan struct{})
	a.resting = &rest{planner: planner, before: before, over: over}
	a.mutex.Unlock()
	select {
	case <-ctx.Done():
	case <-rung:
	case <-over:
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.resting = nil
}
