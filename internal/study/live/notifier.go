package live

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Notifier wakes goroutines that wait for an event in a study. No event is lost if a goroutine takes the channel before it
// looks for work. The zero value is ready to use. Safe for concurrent use.
type Notifier struct {
	mutex   sync.Mutex
	waiting map[string]chan struct{} // by study
}

// Wait returns a channel that is closed at the next event in a study.
func (n *Notifier) Wait(id string) <-chan struct{} {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.waiting == nil {
		n.waiting = map[string]chan struct{}{}
	}
	if n.waiting[id] == nil {
		n.waiting[id] = make(chan struct{})
	}
	return n.waiting[id]
}

// Notify wakes all goroutines that wait for an event in a study.
func (n *Notifier) Notify(id string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if waiting := n.waiting[id]; waiting != nil {
		close(waiting)
		delete(n.waiting, id)
	}
}

// Sleep waits for a duration or an event, and returns false if the context has ended.
func Sleep(ctx context.Context, d time.Duration, rung <-chan struct{}) bool {
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

// maxOutbox is the maximum number of studies in an outbox. Others are found without it, later.
const maxOutbox = 10_000

// An Outbox collects studies that may have something to do for a planner in another process. The zero value is ready to
// use. Safe for concurrent use.
type Outbox struct {
	mutex    sync.Mutex
	ids      map[string]bool
	notifier Notifier
}

// add adds a study.
func (o *Outbox) add(id string) {
	o.mutex.Lock()
	if o.ids == nil {
		o.ids = map[string]bool{}
	}
	if len(o.ids) < maxOutbox {
		o.ids[id] = true
	}
	o.mutex.Unlock()
	o.notifier.Notify(AnyStudy)
}

// Take removes all studies. If there are none, it returns a channel that is closed when one is added.
func (o *Outbox) Take() (ids []string, added <-chan struct{}) {
	added = o.notifier.Wait(AnyStudy)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	ids = slices.Collect(maps.Keys(o.ids))
	o.ids = nil
	return ids, added
}
