package study

import "testing"

// TestBells: whoever waits hears the next ring of their study and no other, and no bell hangs that
// nobody waits for.
func TestBells(t *testing.T) {
	var b bells
	rang := func(bell <-chan struct{}) bool {
		select {
		case <-bell:
			return true
		default:
			return false
		}
	}
	b.ring("a") // for nobody
	one, two, other := b.wait("a"), b.wait("a"), b.wait("b")
	if rang(one) || rang(two) {
		t.Error("a ring from before is heard")
	}
	b.ring("a")
	if !rang(one) || !rang(two) || rang(other) {
		t.Error("the wrong ones hear it")
	}
	if again := b.wait("a"); rang(again) {
		t.Error("it still rings")
	}
	b.ring("a")
	b.ring("b")
	if len(b.hung) > 0 {
		t.Errorf("%d bells hang", len(b.hung))
	}
}
