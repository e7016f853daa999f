package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestPage: a page has the sentence without control characters, and ten bars of contenders at most; it says how many more
// there are.
func TestPage(t *testing.T) {
	v := wire.Verdict{State: "open", Leader: &wire.Arm{ID: "orb"}, Threshold: 3, Others: 2, Sentence: "orb leads.\x1b[2J"}
	for i := range 23 {
		v.Contenders = append(v.Contenders, wire.Contender{Arm: wire.Arm{ID: fmt.Sprint("rival", i)}})
	}
	drawn := page("Lamps", v, 80)
	if bars := strings.Count(drawn, "against rival"); bars != 10 || !strings.HasSuffix(drawn, "and 15 more") ||
		!strings.Contains(drawn, "orb leads.") || strings.Contains(drawn, "\x1b[2J") {
		t.Errorf("%d bars:\n%s", bars, drawn)
	}
}

func TestMisfits(t *testing.T) {
	if got := misfits(wire.Verdict{}); got != nil {
		t.Errorf("without misfits: %q", got)
	}
	got := misfits(wire.Verdict{Misfits: []wire.Misfit{{Arm: wire.Arm{ID: "o", Label: "Oslo"}, Picked: 72, Expected: 49.6}}})
	if want := []string{"Oslo was picked 72 times, but the model predicts 50."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
