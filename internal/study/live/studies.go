// Package live caches studies in the memory of a process: one live object per study, in one cache.
// It also notifies planners and pages of events.
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

// Studies caches one live object per study. When they take too much memory, it evicts the least
// recently used ones. Safe for concurrent use.
type Studies struct {
	PlanWork Notifier // a study has something for its planner to do
	Updates  Notifier // a study has something for people to see
	Outbox   Outbox   // studies that may have something to do for a planner in another process

	store study.Store
	clock func() time.Time
	mutex sync.Mutex
	kept  map[string]*list.Element
	order list.List // of *entry, most recently used first
	bytes int
}

// New returns an empty cache of the studies of a store.
func New(store study.Store, clock func() time.Time) *Studies {
	return &Studies{store: store, clock: clock, kept: map[string]*list.Element{}}
}

// with calls do with the entry of a study, under the lock of the cache. If there is no entry, it
// creates one or, without create, does nothing: only studies that exist may have an entry.
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

// resize changes the estimated memory of the most recently used entry, and evicts others until all
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

// Part returns the data of type T that a package keeps in memory about a study that exists. If
// there is none, it keeps the result of create.
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

// FindPart returns the data that Part keeps, or nil.
func FindPart[T any](c *Studies, id string) (kept *T) {
	c.with(id, false, func(e *entry) { kept, _ = e.parts[reflect.TypeFor[T]()].(*T) })
	return kept
}

// DropPart removes the data that Part keeps.
func DropPart[T any](c *Studies, id string) {
	c.with(id, false, func(e *entry) { delete(e.parts, reflect.TypeFor[T]()) })
}
