package live

import (
	"maps"
	"slices"
	"sync"
)

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
