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
	for look := range 21 { // the first and two a tenth
		i.look(t.Context(), func(context.Context) (Inside, error) {
			return Inside{Memory: float64((look*8)%21) * (1 << 20), Processor: 3 + float64(look)}, nil
		})
		i.look(t.Context(), func(context.Context) (Inside, error) { return Inside{1e12, 1e12}, errors.New("no") })
	}
	got := i.memory()
	approx.Equal(t, "before", got.Before, 0, 1e-9)
	approx.Equal(t, "early", got.Early, 16, 1e-9) // the third look
	approx.Equal(t, "late", got.Late, 13, 1e-9)   // 160 = 7·21 + 13
	approx.Equal(t, "most", got.Most, 20, 1e-9)
	approx.Equal(t, "processor", i.processor(50), 400, 1e-9) // 20 s for 50 answers
	if i.processor(0) != 0 {
		t.Error("no answers, and each took some time")
	}
}
