package live

import "testing"

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
