package live

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// A memory is the data that a package keeps about a study.
type memory struct{ number int }

// TestLiveEviction tests that the least recently used studies are evicted as a whole, and only when
// memory runs out.
func TestLiveEviction(t *testing.T) {
	c := New(nil, time.Now)
	name := func(i int) string { return fmt.Sprint("study ", i) }
	const fit = maxBytes / entryBytes
	for i := range fit {
		Remember(c, name(i), Desk, func() *memory { return &memory{i} })
	}
	Recall[memory](c, name(0), Desk) // so that it is no longer the least recently used one
	Remember(c, "one more", Desk, func() *memory { return nil })
	for i, kept := range map[int]bool{0: true, 1: false, 2: true, fit - 1: true} {
		if got := Recall[memory](c, name(i), Desk); (got != nil) != kept || kept && got.number != i {
			t.Errorf("study %d is kept as %v", i, got)
		}
	}
	large := Remember(c, "large", Desk, func() *memory { return &memory{1} })
	c.Grow("large", maxBytes)
	if c.order.Len() != 1 || Recall[memory](c, "large", Desk) != large {
		t.Errorf("%d studies are kept beside a large one", c.order.Len()-1)
	}
	c.Grow("large", -maxBytes)
	c.Drop("large")
	c.Grow("large", 5) // it is no longer counted
	if c.bytes != 0 || len(c.kept) != 0 {
		t.Errorf("after the last study was dropped, %d bytes and %d studies are kept", c.bytes, len(c.kept))
	}
}

// TestGenerations tests that the last values are found and that memory is bounded.
func TestGenerations(t *testing.T) {
	const limit = 10
	var g generations[int, string]
	for i := range 100 {
		g.put(i, strconv.Itoa(i), limit)
		for _, ago := range []int{0, limit - 1} {
			if got, ok := g.get(i - ago); i >= ago && (!ok || got != strconv.Itoa(i-ago)) {
				t.Errorf("after %d, %d is %q", i, i-ago, got)
			}
		}
		if n := len(g.young) + len(g.old); n > 2*limit {
			t.Fatalf("%d values are kept", n)
		}
	}
}

// TestBells: a waiting goroutine receives the next event of its study and of no other, and the
// Notifier keeps no channel without a waiting goroutine.
func TestBells(t *testing.T) {
	var b Notifier
	rang := func(bell <-chan struct{}) bool {
		select {
		case <-bell:
			return true
		default:
			return false
		}
	}
	b.Notify("a") // no goroutine waits
	one, two, other := b.Wait("a"), b.Wait("a"), b.Wait("b")
	if rang(one) || rang(two) {
		t.Error("an event from before Wait closes the channel")
	}
	b.Notify("a")
	if !rang(one) || !rang(two) || rang(other) {
		t.Error("the wrong channels are closed")
	}
	if again := b.Wait("a"); rang(again) {
		t.Error("a new channel is closed")
	}
	b.Notify("a")
	b.Notify("b")
	if len(b.waiting) > 0 {
		t.Errorf("%d channels are left", len(b.waiting))
	}
}
