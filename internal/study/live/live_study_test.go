package live_test

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
)

// TestChangesAreHeardOf: changes are visible immediately in the process that makes them, and soon
// in others.
func TestChangesAreHeardOf(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	one, two := s.Service("one"), s.Service("two")
	planner := one.Planner(id)
	s.Step(planner)
	s.Ask(one, "anna")
	s.Ask(two, "ben")
	_, err := one.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	if _, err := one.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("the process that paused the study asks: %v", err)
	}
	s.Pass(time.Second)
	if _, err := two.Ask(t.Context(), id, "ben", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("another process asks a second later: %v", err)
	}
}

// TestArmsWith: a caller that read the study before an arm was added gets that arm if it names it.
func TestArmsWith(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	before := s.Study()
	arms, err := service.Live.Arms(t.Context(), before) // cached from now on
	s.Must(err)
	_, err = s.Service("two").AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.4, 0.7))
	s.Must(err)
	for _, c := range []struct {
		named []int
		arms  int
	}{{nil, 8}, {[]int{-1, 7}, 8}, {[]int{0, 8}, 9}} {
		got, err := service.Live.ArmsWith(t.Context(), before, c.named...)
		s.Must(err)
		if got.Arms.Len() != c.arms {
			t.Errorf("%d arms with %v named, want %d", got.Arms.Len(), c.named, c.arms)
		}
	}
	if arms.Arms.Len() != 8 {
		t.Error("shared arms were changed")
	}
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
