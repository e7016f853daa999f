package study_test

import (
	"errors"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
)

// TestChangesAreHeardOf: changes are visible immediately in the process that makes them, and soon
// in others.
func TestChangesAreHeardOf(t *testing.T) {
	s := begin(t, three())
	one, two := s.service("one"), s.service("two")
	planner := one.Planner(id)
	s.step(planner)
	s.ask(one, "anna")
	s.ask(two, "ben")
	_, err := one.SetState(t.Context(), id, owner.Any, study.Paused)
	s.must(err)
	if _, err := one.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("the process that paused the study asks: %v", err)
	}
	s.pass(time.Second)
	if _, err := two.Ask(t.Context(), id, "ben", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("another process asks a second later: %v", err)
	}
}
