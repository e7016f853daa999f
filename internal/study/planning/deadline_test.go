package planning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
)

// until returns settings with a deadline after a duration on the clock of a stage.
func until(settings study.Settings, d time.Duration) study.Settings {
	settings.Deadline = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).Add(d)
	return settings
}

// TestDeadline: from its deadline on a study neither asks nor accepts answers, even before a planner
// notices. The planner then ends it, counts the last answers and states the smallest certified ε.
func TestDeadline(t *testing.T) {
	s := studytest.Begin(t, until(studytest.Three(), time.Minute))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	s.Pass(59 * time.Second)
	for i := range 12 {
		s.Answer(service, fmt.Sprint("r", i))
	}
	open := s.Ask(service, "anna")
	s.Pass(time.Second)
	if _, err := service.Ask(t.Context(), id, "late", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("the study asks after its deadline: %v", err)
	}
	if err := service.Answer(t.Context(), id, open.Token, []int{0}); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("the study accepts an answer after its deadline: %v", err)
	}
	s.Finish(planner)
	if ended := s.Study(); ended.State != study.Done || ended.Reason != study.Expired {
		t.Errorf("the study is %s, %s", ended.State, ended.Reason)
	}
	if verdict := s.Agreed(); verdict.Answered != 12 || !verdict.Ended || verdict.CertifiedEpsilon == nil {
		t.Errorf("%+v", verdict)
	}
}

// TestDeadlineWhileNothingHappens: a planner that rests wakes up at the deadline.
func TestDeadlineWhileNothingHappens(t *testing.T) {
	s := studytest.Begin(t, until(studytest.Three(), time.Hour))
	planner := s.Service("one").Planner(id)
	for range 5 { // until it has nothing to do
		s.Step(planner)
	}
	pulses, err := s.Store.Active(t.Context(), []int{1}) // the shard of the first study
	s.Must(err)
	if planner.Wakes(pulses[0]) {
		t.Error("the planner wakes up early")
	}
	s.Pass(time.Hour)
	if !planner.Wakes(pulses[0]) {
		t.Error("the planner sleeps past the deadline")
	}
}

// TestDeadlineIsChecked: a new deadline is in the future, and a draft with one that has passed is not
// opened.
func TestDeadlineIsChecked(t *testing.T) {
	s := studytest.Empty(t)
	s.Create(id, until(studytest.Three(), time.Minute), study.Draft)
	service := s.Service("one")
	set := func(at time.Time) error {
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Settings.Deadline = at; return nil })
		return err
	}
	if err := set(s.Clock().Add(-time.Second)); study.Coded(err).Field != "settings.deadline" {
		t.Errorf("a deadline in the past: %v", err)
	}
	s.Pass(time.Hour)
	if _, err := service.SetState(t.Context(), id, owner.Any, study.Open); study.Coded(err).Field != "settings.deadline" {
		t.Errorf("the draft is opened after its deadline: %v", err)
	}
	s.Must(set(s.Clock().Add(90 * time.Second)))
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
}

// TestReopen: a study that was stopped, or has reached its budget or its deadline, continues when its
// owner opens it again, without the limit that it has reached. Its log verifies at all times.
func TestReopen(t *testing.T) {
	for _, reason := range []study.Reason{study.Stopped, study.Spent, study.Expired} {
		t.Run(string(reason), func(t *testing.T) {
			settings := studytest.Three()
			switch reason { //nolint:exhaustive // the others have no settings
			case study.Spent:
				settings.Budget = 8
			case study.Expired:
				settings = until(settings, time.Minute)
			}
			s := studytest.Begin(t, settings)
			s.Prefers(0.1, 0.1)
			service := s.Service("one")
			planner := service.Planner(id)
			s.Work(service, planner, 1, 8)
			s.Pass(time.Minute)
			if reason == study.Stopped {
				_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
				s.Must(err)
			}
			s.Finish(planner)
			if ended := s.Study(); ended.Reason != reason || ended.State != study.Done {
				t.Fatalf("the study is %s, %s", ended.State, ended.Reason)
			}
			s.Agreed()
			reopened, err := service.SetState(t.Context(), id, owner.Any, study.Open)
			s.Must(err)
			if reopened.State != study.Open || reopened.Reason != "" || reopened.Settings.Budget != 0 || !reopened.Settings.Deadline.IsZero() {
				t.Errorf("%+v", reopened)
			}
			s.Agreed()
			s.Work(service, planner, 1, 8)
			if verdict := s.Agreed(); verdict.Answered != 16 || verdict.Ended {
				t.Errorf("%+v", verdict)
			}
		})
	}
}

// TestDecidedStaysDone: a study that is certified is not opened again, even if its owner has closed
// it.
func TestDecidedStaysDone(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	for s.Study().State != study.Done {
		s.Work(service, planner, 1, 8)
	}
	if verdict := s.Agreed(); verdict.Status != strategy.Certified.String() {
		t.Fatalf("%+v", verdict)
	}
	for _, reason := range []study.Reason{study.Certified, study.Stopped} {
		st := s.Study()
		st.Reason = reason
		_, err := s.Store.Change(t.Context(), st, st.Version, nil)
		s.Must(err)
		if _, err := service.SetState(t.Context(), id, owner.Any, study.Open); study.Coded(err).Code != study.CodeWrongState {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
