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
	pulse   *study.Pulse // the last one felt since the last step began, nil if there is none
	resting *Planner     // nil while the planner is at work
	over    chan struct{}
}

// begin notes that a step begins.
func (a *attendance) begin() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pulse = nil
}

// feel notes a pulse, which is empty if the study is no longer active, and ends the planner's rest if there is something to do.
func (a *attendance) feel(pulse study.Pulse) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pulse = &pulse
	if a.resting != nil && a.resting.Wakes(pulse) {
		close(a.over)
		a.resting = nil
	}
}

// rest waits after a step that left nothing to do until there is something to do, an event rings, or the context ends.
func (a *attendance) rest(ctx context.Context, planner *Planner, rung <-chan struct{}) {
	a.mutex.Lock()
	if a.pulse != nil && planner.Wakes(*a.pulse) {
		a.mutex.Unlock()
		return
	}
	over := make(chan struct{})
	a.resting, a.over = planner, over
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
