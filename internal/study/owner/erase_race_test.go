package owner_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// TestEraseWhilePlanning: a planner that was making a plan starts again, without the respondents
// that are erased meanwhile.
func TestEraseWhilePlanning(t *testing.T) {
	for _, call := range []string{"Append", "AcquireLease", "Catalogue", "Log", "SaveSnapshot"} {
		t.Run(call, func(t *testing.T) {
			s := studytest.Begin(t, studytest.Three())
			s.Prefers(0.1, 0.1)
			store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
			service, other := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock}), s.Service("two")
			planner := service.Planner(id)
			s.Work(service, planner, 2, 5)
			imported := 3
			switch call {
			case "SaveSnapshot":
				imported = 510 // enough for a snapshot
			case "Log":
				imported = 100 // more than are read with the lease
			}
			s.Must(service.Import(t.Context(), id, "many", s.Foreign(imported)))
			if call == "Catalogue" {
				planner = service.Planner(id) // a planner without state in memory
			}
			store.Before = studytest.Once(call, func() error {
				s.Erase(other, "r1")
				return nil
			})
			s.Pass(3 * time.Second)
			for range 4 {
				s.Step(planner)
				s.Pass(time.Second)
			}
			s.Unknown("r1")
			if verdict := s.Agreed(); verdict.Answered != imported+8 {
				t.Errorf("%d answers count", verdict.Answered)
			}
			s.Work(service, planner, 1, 5)
			s.Agreed()
			s.Crash()
			again := s.Service("three")
			s.Pass(3 * time.Second)
			s.Work(again, again.Planner(id), 1, 5)
			if verdict := s.Agreed(); verdict.Answered != imported+18 {
				t.Errorf("%d answers count", verdict.Answered)
			}
		})
	}
}

// TestEraseAndOthersAtOnce: with any concurrent operation during an erasure, no data of the erased
// respondent is left and all answers of the others count.
func TestEraseAndOthersAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile func(s *studytest.Stage, service *studytest.Service, out, lately dispatch.Lease) error
		answers   int // counted in the end
	}{
		"another answer": {func(s *studytest.Stage, service *studytest.Service, out, _ dispatch.Lease) error {
			return service.Answer(s.Context(), id, out.Token, []int{0})
		}, 8 + 2},
		"one taken back": {func(s *studytest.Stage, service *studytest.Service, _, lately dispatch.Lease) error {
			return service.Undo(s.Context(), id, lately.Token)
		}, 8},
		"one more of theirs": {func(s *studytest.Stage, service *studytest.Service, _, _ dispatch.Lease) error {
			lease := s.Ask(service, "r1")
			return service.Answer(s.Context(), id, lease.Token, []int{0})
		}, 8 + 1},
		"a plan": {func(s *studytest.Stage, service *studytest.Service, _, _ dispatch.Lease) error {
			s.Step(service.Planner(id))
			return nil
		}, 8 + 1},
		"a change": {func(s *studytest.Stage, service *studytest.Service, _, _ dispatch.Lease) error {
			_, err := service.Withdraw(s.Context(), id, owner.Any, "a3")
			return err
		}, 8 + 1},
		"another erasure": {func(s *studytest.Stage, service *studytest.Service, _, _ dispatch.Lease) error {
			s.Erase(service, "r2")
			return nil
		}, 6 + 1},
		"the end": {func(s *studytest.Stage, service *studytest.Service, _, _ dispatch.Lease) error {
			_, err := service.SetState(s.Context(), id, owner.Any, study.Done)
			return err
		}, 8 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, studytest.Three())
			s.Prefers(0.5, 0.5)
			store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
			service, other := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock}), s.Service("two")
			s.Work(other, other.Planner(id), 2, 5)
			out, lately := s.Ask(other, "cy"), s.Ask(other, "dee")
			s.Must(other.Answer(t.Context(), id, lately.Token, []int{0}))
			s.Pass(11 * time.Second) // the answer can be counted, but no planner has run
			store.Before = studytest.Once("Erase", func() error { return test.meanwhile(s, other, out, lately) })
			s.Erase(service, "r1")
			s.Agreed()
			s.Pass(11 * time.Second)
			planner := service.Planner(id)
			for range 3 {
				s.Step(planner)
			}
			if verdict := s.Agreed(); verdict.Answered != test.answers {
				t.Errorf("%d answers count, want %d", verdict.Answered, test.answers)
			}
			s.Unknown("r1")
		})
	}
}

// TestDesksAfterErasure: no process deals lost questions, also if another process has erased a
// respondent.
func TestDesksAfterErasure(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	one, two := s.Service("one"), s.Service("two")
	planner := one.Planner(id)
	s.Work(one, planner, 1, 5)
	s.Ask(one, "x") // further claimed questions stay on the desks
	s.Ask(two, "x")
	s.Erase(one, "r1")
	s.Pass(time.Second)
	afresh := s.Study().RestartPlan
	for _, service := range []*studytest.Service{one, two, one, two} {
		s.Answer(service, "y")
	}
	for _, o := range s.Outcomes() {
		if o.Respondent == "y" && o.Plan != afresh {
			t.Errorf("%+v belongs to a plan before %d", o, afresh)
		}
	}
}

// TestExportWhileErasing: an export that contains data of a respondent who is erased meanwhile
// returns an error.
func TestExportWhileErasing(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 2, 5)
	for _, call := range []string{"Catalogue", "Log"} {
		store := &studytest.Faulty{Store: s.Store, Before: studytest.Once(call, func() error {
			s.Erase(service, map[string]string{"Catalogue": "r1", "Log": "r2"}[call])
			return nil
		})}
		if err := replay.Export(t.Context(), store, id, &bytes.Buffer{}); !errors.Is(err, study.ErrChanged) {
			t.Errorf("%s: %v", call, err)
		}
		s.Work(service, planner, 1, 5)
	}
	store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("Log", func() error {
		s.Erase(service, "r3")
		return nil
	})}
	if _, err := replay.Replay(t.Context(), store, id); !errors.Is(err, study.ErrChanged) {
		t.Errorf("replayed: %v", err)
	}
}

// TestCopyWhileErasing: a copy is the study before or after an erasure, and not a mixture.
func TestCopyWhileErasing(t *testing.T) {
	s, service := busy(t)
	store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("Log", func() error {
		s.Erase(service, "anna")
		return nil
	})}
	to := studytest.NewStore(t)
	whole, err := owner.Copy(t.Context(), store, to, id)
	s.Must(err)
	s.Must(s.Store.Close())
	s.Store = to
	s.Unknown("anna")
	s.Agreed()
	if len(whole.Plans) != 1 || slices.ContainsFunc(whole.Outcomes, func(o study.Outcome) bool { return o.Respondent == "anna" }) {
		t.Errorf("%+v was copied", whole)
	}
}

// A busyStore reports a concurrent change at every erasure.
type busyStore struct{ study.Store }

func (busyStore) Erase(context.Context, string, string, study.Plan) (study.Plan, error) {
	return study.Plan{}, study.ErrChanged
}

// TestEraseGivesUp: after too many concurrent changes, Erase returns an error and changes nothing.
func TestEraseGivesUp(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.ServiceOn(busyStore{s.Store}, wiring.Options{Name: "one", Clock: s.Clock})
	s.Work(service, service.Planner(id), 1, 3)
	before := s.Agreed()
	if _, err := service.Erase(t.Context(), id, "r1"); !errors.Is(err, study.ErrBusy) {
		t.Error(err)
	}
	if after := s.Agreed(); after.Text() != before.Text() {
		t.Errorf("%+v became %+v", before, after)
	}
}
