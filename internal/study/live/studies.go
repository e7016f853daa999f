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
	order list.List // of *entry, most recently used first
	bytes int
}

// An entry is what this process keeps in memory about one study.
type entry struct {
	id    string
	bytes int
	study study.Study
	read  time.Time // when study was read; zero if it has changed since
	arms  keptArms
	panel keptPanel
	parts map[reflect.Type]any
}

// New returns an empty cache of the studies of a store.
func New(store study.Store, clock func() time.Time) *Studies {
	return &Studies{store: store, clock: clock, kept: map[string]*list.Element{}}
}

// with calls do with the entry of a study, under the lock of the cache. If there is no entry, it makes
// one or, without create, does nothing: only studies that exist may have one.
func (c *Studies) with(id string, create bool, do func(*entry)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	at := c.kept[id]
	switch {
	case at == nil && !create:
		return
	case at == nil:
		at = c.order.PushFront(&entry{id: id, parts: map[reflect.Type]any{}})
		c.kept[id] = at
		c.resize(at.Value.(*entry), entryBytes) //nolint:forcetypeassert // the list has no others
	default:
		c.order.MoveToFront(at)
	}
	do(at.Value.(*entry)) //nolint:forcetypeassert // the list has no others
}

// resize changes the estimate of the memory of the most recently used entry, and evicts others until all
// fit.
func (c *Studies) resize(e *entry, bytes int) {
	e.bytes += bytes
	c.bytes += bytes
	for c.bytes > maxBytes && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

func (c *Studies) remove(at *list.Element) {
	e := c.order.Remove(at).(*entry) //nolint:forcetypeassert // the list has no others
	delete(c.kept, e.id)
	c.bytes -= e.bytes
}

// Grow adds to the estimate of the memory that a study takes.
func (c *Studies) Grow(id string, bytes int) {
	c.with(id, false, func(e *entry) { c.resize(e, bytes) })
}

// Drop removes the entry of a study that was deleted.
func (c *Studies) Drop(id string) {
	c.with(id, false, func(*entry) { c.remove(c.kept[id]) })
}

// Part returns what a package keeps in memory about a study that exists, of type T. If there is nothing,
// it keeps what create returns.
func Part[T any](c *Studies, id string, create func() *T) (kept *T) {
	c.with(id, true, func(e *entry) {
		var ok bool
		if kept, ok = e.parts[reflect.TypeFor[T]()].(*T); !ok {
			kept = create()
			e.parts[reflect.TypeFor[T]()] = kept
		}
	})
	return kept
}

// FindPart returns what Part has kept, or nil.
func FindPart[T any](c *Studies, id string) (kept *T) {
	c.with(id, false, func(e *entry) { kept, _ = e.parts[reflect.TypeFor[T]()].(*T) })
	return kept
}

// DropPart removes what Part has kept.
func DropPart[T any](c *Studies, id string) {
	c.with(id, false, func(e *entry) { delete(e.parts, reflect.TypeFor[T]()) })
}
