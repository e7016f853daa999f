package owner_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
)

// busy makes a study with all kinds of outcomes, and pauses it.
func busy(t *testing.T) (*studytest.Stage, *studytest.Service) {
	t.Helper()
	settings := studytest.Three()
	settings.Grace = -1
	s := studytest.Begin(t, settings)
	s.Prefers(3, 1.5)
	service := s.Service("one")
	planner := service.Planner(id)
	for range 10 {
		s.Step(planner)
		s.Answer(service, "anna")
	}
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(7)))
	s.Must(service.Skip(t.Context(), id, s.Ask(service, "bo").Token))
	undone := s.Ask(service, "cy")
	s.Must(service.Answer(t.Context(), id, undone.Token, []int{0}))
	s.Must(service.Undo(t.Context(), id, undone.Token))
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a3")
	s.Must(err)
	for range 5 {
		s.Step(planner)
		s.Answer(service, "anna")
	}
	s.Step(planner)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	s.Must(planner.Resign(t.Context()))
	return s, service
}

// TestCopy: a copied study leads to the same verdict, and continues to the end.
func TestCopy(t *testing.T) {
	s, service := busy(t)
	out := s.Outcomes()
	before := s.Agreed()
	to := studytest.NewStore(t)
	whole, err := owner.Copy(t.Context(), s.Store, to, id)
	s.Must(err)
	if diff := cmp.Diff(out, whole.Outcomes); diff != "" {
		t.Error(diff)
	}
	if _, err := owner.Copy(t.Context(), s.Store, to, id); !errors.Is(err, study.ErrTaken) {
		t.Errorf("a second copy: %v", err)
	}
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	if _, err := owner.Copy(t.Context(), s.Store, studytest.NewStore(t), id); !errors.Is(err, study.ErrOpen) {
		t.Errorf("an open study: %v", err)
	}

	s.Must(s.Store.Close())
	s.Store = to
	if diff := cmp.Diff(before, s.Agreed()); diff != "" {
		t.Error(diff)
	}
	later := s.Service("two")
	_, err = later.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	planner := later.Planner(id)
	for s.Step(planner) {
		s.Answer(later, "dee")
	}
	if verdict := s.Agreed(); verdict.Status != "certified" || verdict.Answered <= before.Answered {
		t.Errorf("the verdict is %+v", verdict)
	}
}

// TestTransfer: an answer that arrives during a transfer is not lost.
func TestTransfer(t *testing.T) {
	s, service := busy(t)
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	lease := s.Ask(service, "late")
	_, err = service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	before := len(s.Outcomes())
	to := studytest.NewStore(t)
	from := &leaving{Store: s.Store, then: func() { s.Must(service.Answer(t.Context(), id, lease.Token, []int{0})) }}
	whole, err := owner.Transfer(t.Context(), from, to, id)
	s.Must(err)
	if len(whole.Outcomes) != before+1 || from.then != nil {
		t.Errorf("%d outcomes were copied, want one more than %d", len(whole.Outcomes), before)
	}
	if _, err := s.Store.Study(t.Context(), id); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("the original still exists: %v", err)
	}
	s.Must(s.Store.Close())
	s.Store = to
	if n := len(s.Outcomes()); n != before+1 {
		t.Errorf("the copy has %d outcomes", n)
	}
	s.Agreed()
}

// A leaving store calls a function once, before a study is removed.
type leaving struct {
	study.Store

	then func()
}

func (l *leaving) DeleteUnchanged(ctx context.Context, id string, version int, last int64) error {
	if l.then != nil {
		l.then()
		l.then = nil
	}
	return l.Store.DeleteUnchanged(ctx, id, version, last)
}
