package study

import (
	"container/list"
	"reflect"
	"sync"
	"time"
)

// Estimates of the memory that a live study takes, in bytes.
const (
	maxLiveBytes = 1 << 30 // of all live studies
	liveBytes    = 1 << 20 // of one, besides its catalogue and its overview
)

// A LiveStudies caches what this process knows about studies: one live object for each, of which the
// least recently used are evicted when all of them take too much memory. Safe for concurrent use.
type LiveStudies struct {
	store Store
	clock func() time.Time
	mutex sync.Mutex
	kept  map[string]*list.Element
	order list.List // of *live, most recently used first
	bytes int
}

// A live study is what this process keeps in memory about one study.
type live struct {
	id    string
	bytes int // guarded by the cache
	mutex sync.Mutex
	study Study
	read  time.Time // when study was read; zero if it has changed since
	arms  liveArms
	panel livePanel
	parts map[reflect.Type]any
}

func NewLiveStudies(store Store, clock func() time.Time) *LiveStudies {
	return &LiveStudies{store: store, clock: clock, kept: map[string]*list.Element{}}
}

// find returns the live object of a study, or nil if there is none.
func (c *LiveStudies) find(id string) *live {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[id]; at != nil {
		return c.use(at)
	}
	return nil
}

// of returns the live object of a study that exists, a new one if there is none.
func (c *LiveStudies) of(id string) *live {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[id]; at != nil {
		return c.use(at)
	}
	l := &live{id: id, bytes: liveBytes, parts: map[reflect.Type]any{}}
	c.kept[id] = c.order.PushFront(l)
	c.bytes += l.bytes
	c.evict()
	return l
}

// use marks an element as the most recently used one.
func (c *LiveStudies) use(at *list.Element) *live {
	c.order.MoveToFront(at)
	return at.Value.(*live) //nolint:forcetypeassert // the list has no others
}

// grow adds to the memory that a live study takes.
func (c *LiveStudies) grow(l *live, bytes int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[l.id]; at != nil && at.Value == l {
		l.bytes += bytes
		c.bytes += bytes
		c.evict()
	}
}

// evict removes the least recently used studies until the others fit. The last one stays in any case.
func (c *LiveStudies) evict() {
	for c.bytes > maxLiveBytes && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

// drop removes the live object of a study that was deleted.
func (c *LiveStudies) drop(id string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.kept[id]; at != nil {
		c.remove(at)
	}
}

func (c *LiveStudies) remove(at *list.Element) {
	l := c.order.Remove(at).(*live) //nolint:forcetypeassert // the list has no others
	delete(c.kept, l.id)
	c.bytes -= l.bytes
}

// part returns what a live study keeps of type T. If there is none, it keeps a new one; without a
// function that makes it, part returns nil.
func part[T any](l *live, create func() *T) *T {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	kept, ok := l.parts[reflect.TypeFor[T]()].(*T)
	if !ok && create != nil {
		kept = create()
		l.parts[reflect.TypeFor[T]()] = kept
	}
	return kept
}

// dropPart removes what a live study keeps of type T.
func dropPart[T any](l *live) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.parts, reflect.TypeFor[T]())
}
