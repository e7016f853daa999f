// Package live caches studies in the memory of a process: one live object per study, in one cache.
// It also notifies planners and pages of events.
package live

import (
	"container/list"
	"sync"
	"time"

	"bestpick/internal/catalogue/archive"
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

	// Gather says that outcomes wait for one to two seconds until a plan counts them with others, unless the deck needs
	// questions before. Defaults to a plan at once. Set it before use.
	Gather bool

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
		at = c.order.PushFront(&entry{id: id})
		c.kept[id] = at
		c.resize(at.Value.(*entry), entryBytes) //nolint:forcetypeassert // the list has no others
	default:
		c.order.MoveToFront(at)
	}
	do(at.Value.(*entry)) //nolint:forcetypeassert // the list has no others
}

// resize changes the estimated memory of the most recently used entry, and evicts others until all fit.
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

// A Memory names what another package keeps in memory about a study, besides what this package caches.
type Memory int

// The memories of a live study.
const (
	Desk     Memory = iota // of dispatch: claimed questions, and open questions of respondents
	Counts                 // of overview: what was counted for pages so far
	memories int    = iota
)

// Remember returns what a package keeps about a study that exists. If there is nothing, it keeps the
// result of create. Each memory has one type.
func Remember[T any](c *Studies, id string, of Memory, create func() *T) (kept *T) {
	c.with(id, true, func(e *entry) {
		var ok bool
		if kept, ok = e.memory[of].(*T); !ok {
			kept = create()
			e.memory[of] = kept
		}
	})
	return kept
}

// Recall returns what Remember keeps, or nil.
func Recall[T any](c *Studies, id string, of Memory) (kept *T) {
	c.with(id, false, func(e *entry) { kept, _ = e.memory[of].(*T) })
	return kept
}

// Forget removes what Remember keeps.
func (c *Studies) Forget(id string, what Memory) {
	c.with(id, false, func(e *entry) { e.memory[what] = nil })
}

// An entry is the live object of one study.
type entry struct {
	id    string
	bytes int
	study study.Study
	read  time.Time // when study was read; zero if it has changed since
	arms  keptArms

	// By respondents, and by the hashes of keys. Every change of a panel raises the version of its study.
	admissions versioned[Admission]
	members    versioned[study.Member]

	memory [memories]any // of other packages
}

// keptArms are the arms of a study at a version, and their cards.
type keptArms struct {
	version int
	arms    *archive.Catalogue
	cards   *cardBox
	bytes   int
}

// A versioned caches values of a study at a version.
type versioned[V any] struct {
	version int
	values  generations[string, V]
}

func (c *versioned[V]) get(version int, key string) (value V, known bool) {
	if c.version == version {
		value, known = c.values.get(key)
	}
	return value, known
}

func (c *versioned[V]) put(version int, key string, value V) {
	if c.version != version {
		*c = versioned[V]{version: version}
	}
	c.values.put(key, value, maxPeople)
}

// A generations is a bounded map: when the younger of two generations is full, it replaces the older one.
// The zero value is empty.
type generations[K comparable, V any] struct{ young, old map[K]V }

func (g *generations[K, V]) get(key K) (V, bool) {
	if value, ok := g.young[key]; ok {
		return value, true
	}
	value, ok := g.old[key]
	return value, ok
}

// put keeps a value at least until limit other values were put.
func (g *generations[K, V]) put(key K, value V, limit int) {
	if g.young == nil || len(g.young) >= limit {
		g.young, g.old = map[K]V{}, g.young
	}
	g.young[key] = value
}
