package main

import (
	"context"
	"errors"
	"testing"

	"bestpick/internal/approx"
)

// TestUsage: failed readings are left out, and the others summarised.
func TestUsage(t *testing.T) {
	var s samples
	processor := func(u Usage) float64 { return u.Processor }
	s.add(t.Context(), nil)
	if s.memory() != nil || s.perAnswer(processor, 7) != 0 {
		t.Errorf("without a reading: %v", s.memory())
	}
	s.add(t.Context(), func(context.Context) (Usage, error) { return Usage{Memory: 1 << 20}, nil })
	if got := *s.memory(); got != (Memory{1, 1, 1, 1}) {
		t.Errorf("after one reading: %+v", got)
	}
	s = samples{}
	for n := range 20 { // two per tenth
		s.add(t.Context(), func(context.Context) (Usage, error) {
			return Usage{Memory: float64((n*8)%21) * (1 << 20), Processor: 3 + float64(n)}, nil
		})
		s.add(t.Context(), func(context.Context) (Usage, error) { return Usage{1e12, 1e12, 1e12}, errors.New("no") })
	}
	got := s.memory()
	approx.Equal(t, "before", got.Before, 0, 1e-9)
	approx.Equal(t, "early", got.Early, 9.5, 1e-9) // 16 and 3
	approx.Equal(t, "late", got.Late, 11.5, 1e-9)  // 18 and 5
	approx.Equal(t, "most", got.Most, 20, 1e-9)
	approx.Equal(t, "processor", s.perAnswer(processor, 50), 0.38, 1e-9) // 19 s for 50 answers
	if s.perAnswer(processor, 0) != 0 {
		t.Error("without answers the CPU time per answer is not 0")
	}
}
