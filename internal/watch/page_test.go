package watch

import (
	"fmt"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestPage: a page has ten bars of contenders at most, and says how many more there are.
func TestPage(t *testing.T) {
	v := wire.Verdict{State: "open", Leader: &wire.Arm{ID: "orb"}, Threshold: 3, Others: 2}
	for i := range 23 {
		v.Contenders = append(v.Contenders, wire.Contender{Arm: wire.Arm{ID: fmt.Sprint("rival", i)}})
	}
	drawn := page("Lamps", v, 80)
	if bars := strings.Count(drawn, "against rival"); bars != 10 || !strings.HasSuffix(drawn, "and 15 more") {
		t.Errorf("%d bars:\n%s", bars, drawn)
	}
}
