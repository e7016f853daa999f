// Package live keeps in memory what a process knows about studies: one live object per study, in one
// cache. It also notifies planners and pages of events.
package live

import (
	"container/list"
	"reflect"
	"sync"
	"time"

	"bestpick/internal/study"
)

// Estimates of the memory that a live study takes, in bytes.
const (
	maxBytes   = 1 << 30 // of all live studies
	entryBytes = 1 << 20 // of one, besides its catalogue and its overview
)

// Studies caches what this process knows about studies: one live object for each, of which the
// least recently used are evicted when all of them take too much memory. Safe for concurrent use.
type Studies struct {
	PlanWork Notifier // a study has something for its planner to do
	Updates  Notifier // a study has something for people to see

	store study.Store
	clock func() time.Time
	mutex sync.Mutex
	kept  map[string]*list.Element
	order list.List // of *live, most recently used first
	bytes int
}

// An entry is what this process keeps in memory about one study.
type entry struct {
	id    string
	bytes int // guarded by the cache
	mutex sync.Mutex
	study study.Study
	read  time.Time // when study was read; zero if it has changed since
	arms  keptArms
	panel keptPanel
	parts map[reflect.Type]any
}

func New(store study.Store, clock func() time.Time) *Studies {
	return &Studies{store: store, clock: clock, kept: map[string]*list.Element{}}
}

// find returns the live object of a study, or nil if there is none.
func (c *Studies) find(id string) *entry {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[id]; at != nil {
		return c.use(at)
	}
	return nil
}

// of returns the live object of a study that exists, a new one if there is none.
func (c *Studies) of(id string) *entry {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[id]; at != nil {
		return c.use(at)
	}
	l := &entry{id: id, bytes: entryBytes, parts: map[reflect.Type]any{}}
	c.kept[id] = c.order.PushFront(l)
	c.bytes += l.bytes
	c.evict()
	return l
}

// use marks an element as the most recently used one.
func (c *Studies) use(at *list.Element) *entry {
	c.order.MoveToFront(at)
	return at.Value.(*entry) //nolint:forcetypeassert // the list has no others
}

// Grow adds to the estimate of the memory that a live study takes.
func (c *Studies) Grow(id string, bytes int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[id]; at != nil {
		l := c.use(at)
		l.bytes += bytes
		c.bytes += bytes
		c.evict()
	}
}

// evict removes the least recently used studies until the others fit. The last one stays in any case.
func (c *Studies) evict() {
	for c.bytes > maxBytes && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

// Drop removes the live object of a study that was deleted.
func (c *Studies) Drop(id string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[id]; at != nil {
		c.remove(at)
	}
}

func (c *Studies) remove(at *list.Element) {
	l := c.order.Remove(at).(*entry) //nolint:forcetypeassert // the list has no others
	delete(c.kept, l.id)
	c.bytes -= l.bytes
}

// Part returns what a package keeps in memory about a study that exists, of type T. If there is nothing,
// it keeps what create returns.
func Part[T any](c *Studies, id string, create func() *T) *T {
	l := c.of(id)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	kept, ok := l.parts[reflect.TypeFor[T]()].(*T)
	if !ok {
		kept = create()
		l.parts[reflect.TypeFor[T]()] = kept
	}
	return kept
}

// FindPart returns what Part has kept, or nil.
func FindPart[T any](c *Studies, id string) *T {
	l := c.find(id)
	if l == nil {
		return nil
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	kept, _ := l.parts[reflect.TypeFor[T]()].(*T)
	return kept
}

// DropPart removes what Part has kept.
func DropPart[T any](c *Studies, id string) {
	if l := c.find(id); l != nil {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		delete(l.parts, reflect.TypeFor[T]())
	}
}
