package live

import "testing"

// TestBells: whoever waits hears the next ring of their study and no other, and no bell hangs that
// nobody waits for.
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
	b.Notify("a") // for nobody
	one, two, other := b.Wait("a"), b.Wait("a"), b.Wait("b")
	if rang(one) || rang(two) {
		t.Error("a ring from before is heard")
	}
	b.Notify("a")
	if !rang(one) || !rang(two) || rang(other) {
		t.Error("the wrong ones hear it")
	}
	if again := b.Wait("a"); rang(again) {
		t.Error("it still rings")
	}
	b.Notify("a")
	b.Notify("b")
	if len(b.waiting) > 0 {
		t.Errorf("%d Notifier hang", len(b.waiting))
	}
}
