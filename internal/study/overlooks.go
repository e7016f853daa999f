package study

import "sync"

// mostOverlooks is of how many studies a service keeps what it has counted.
const mostOverlooks = 32

// overlooks are those of the studies that people look at.
type overlooks struct {
	mutex sync.Mutex
	kept  map[string]*overlook
}

// of returns the overlook of a study.
func (l *overlooks) of(id string) *overlook {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if o := l.kept[id]; o != nil {
		return o
	}
	if l.kept == nil {
		l.kept = map[string]*overlook{}
	}
	for other := range l.kept {
		if len(l.kept) < mostOverlooks {
			break
		}
		delete(l.kept, other)
	}
	o := &overlook{busy: make(chan struct{}, 1), undone: map[Position]int64{}, place: map[int]int{}}
	l.kept[id] = o
	return o
}

// forget drops that of a study that is deleted.
func (l *overlooks) forget(id string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.kept, id)
}
