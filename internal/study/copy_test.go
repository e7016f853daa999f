package study_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
)

// elsewhere returns another store.
func elsewhere(t *testing.T) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "elsewhere.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// busy makes a study with all kinds of outcomes, and pauses it.
func busy(t *testing.T) (*stage, *instance) {
	t.Helper()
	settings := three()
	settings.Grace = -1
	s := begin(t, settings)
	s.prefers(3, 1.5)
	service := s.service("one")
	planner := service.Planner(id)
	for range 10 {
		s.step(planner)
		s.answer(service, "anna")
	}
	s.must(service.Import(t.Context(), id, "survey", s.foreign(7)))
	s.must(service.Skip(t.Context(), id, s.ask(service, "bo").Token))
	undone := s.ask(service, "cy")
	s.must(service.Answer(t.Context(), id, undone.Token, []int{0}))
	s.must(service.Undo(t.Context(), id, undone.Token))
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a3")
	s.must(err)
	for range 5 {
		s.step(planner)
		s.answer(service, "anna")
	}
	s.step(planner)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.must(err)
	s.must(planner.Resign(t.Context()))
	return s, service
}

// TestCopy: a copied study leads to the same verdict, and continues to the end.
func TestCopy(t *testing.T) {
	s, service := busy(t)
	out := s.log()
	before := s.agreed()
	to := elsewhere(t)
	whole, err := owner.Copy(t.Context(), s.store, to, id)
	s.must(err)
	if diff := cmp.Diff(out, whole.Outcomes); diff != "" {
		t.Error(diff)
	}
	if _, err := owner.Copy(t.Context(), s.store, to, id); !errors.Is(err, study.ErrTaken) {
		t.Errorf("a second copy: %v", err)
	}
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	if _, err := owner.Copy(t.Context(), s.store, elsewhere(t), id); !errors.Is(err, study.ErrOpen) {
		t.Errorf("an open study: %v", err)
	}

	s.must(s.store.Close())
	s.store = to
	if diff := cmp.Diff(before, s.agreed()); diff != "" {
		t.Error(diff)
	}
	later := s.service("two")
	_, err = later.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	planner := later.Planner(id)
	for s.step(planner) {
		s.answer(later, "dee")
	}
	if verdict := s.agreed(); verdict.Status != "certified" || verdict.Answered <= before.Answered {
		t.Errorf("the verdict is %+v", verdict)
	}
}

// TestTransfer: an answer that arrives during a transfer is not lost.
func TestTransfer(t *testing.T) {
	s, service := busy(t)
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	lease := s.ask(service, "late")
	_, err = service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.must(err)
	before := len(s.log())
	to := elsewhere(t)
	from := &leaving{Store: s.store, then: func() { s.must(service.Answer(t.Context(), id, lease.Token, []int{0})) }}
	whole, err := owner.Transfer(t.Context(), from, to, id)
	s.must(err)
	if len(whole.Outcomes) != before+1 || from.then != nil {
		t.Errorf("%d outcomes were copied, want one more than %d", len(whole.Outcomes), before)
	}
	if _, err := s.store.Study(t.Context(), id); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("the original still exists: %v", err)
	}
	s.must(s.store.Close())
	s.store = to
	if n := len(s.log()); n != before+1 {
		t.Errorf("the copy has %d outcomes", n)
	}
	s.agreed()
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
