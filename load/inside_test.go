package load

import (
	"context"
	"errors"
	"testing"

	"bestpick/internal/approx"
)

// TestInside: what could not be read is left out, and the rest is summarised.
func TestInside(t *testing.T) {
	var i inside
	i.look(t.Context(), nil)
	if i.memory() != nil || i.processor(7) != 0 {
		t.Errorf("nothing was looked at, and it says %v", i.memory())
	}
	i.look(t.Context(), func(context.Context) (Inside, error) { return Inside{Memory: 1 << 20}, nil })
	if got := *i.memory(); got != (Memory{1, 1, 1, 1}) {
		t.Errorf("after one look it says %+v", got)
	}
	i = inside{}
	for look := range 20 { // two a tenth
		i.look(t.Context(), func(context.Context) (Inside, error) {
			return Inside{Memory: float64((look*8)%21) * (1 << 20), Processor: 3 + float64(look)}, nil
		})
		i.look(t.Context(), func(context.Context) (Inside, error) { return Inside{1e12, 1e12}, errors.New("no") })
	}
	got := i.memory()
	approx.Equal(t, "before", got.Before, 0, 1e-9)
	approx.Equal(t, "early", got.Early, 9.5, 1e-9) // 16 and 3
	approx.Equal(t, "late", got.Late, 11.5, 1e-9)  // 18 and 5
	approx.Equal(t, "most", got.Most, 20, 1e-9)
	approx.Equal(t, "processor", i.processor(50), 380, 1e-9) // 19 s for 50 answers
	if i.processor(0) != 0 {
		t.Error("no answers, and each took some time")
	}
}
