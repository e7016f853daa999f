package study

import (
	"fmt"
	"strconv"
	"testing"
)

// TestRecent: those who came lately are remembered, and memory does not grow for ever.
func TestRecent(t *testing.T) {
	var r recent
	if got := r.shown("anna"); got != "" {
		t.Errorf("nobody has come, and she was shown %s", got)
	}
	for i := range 2*recentMost + 1000 {
		r.note(strconv.Itoa(i), fmt.Sprint("arms ", i))
		if i%1000 != 0 {
			continue
		}
		for _, ago := range []int{0, 1, recentMost - 1} {
			if who := i - ago; who >= 0 && r.shown(strconv.Itoa(who)) != fmt.Sprint("arms ", who) {
				t.Fatalf("after %d, %d is forgotten", i, who)
			}
		}
		if size := len(r.young) + len(r.old); size > 2*recentMost {
			t.Fatalf("%d are remembered", size)
		}
	}
	r.note("anna", "one")
	r.note("anna", "two")
	if got := r.shown("anna"); got != "two" {
		t.Errorf("she was shown %s", got)
	}
}
