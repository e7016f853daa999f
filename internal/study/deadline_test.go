package study_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
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
	s := begin(t, until(three(), time.Minute))
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	s.pass(59 * time.Second)
	for i := range 12 {
		s.answer(service, fmt.Sprint("r", i))
	}
	open := s.ask(service, "anna")
	s.pass(time.Second)
	if _, err := service.Ask(t.Context(), id, "late", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("the study asks after its deadline: %v", err)
	}
	if err := service.Answer(t.Context(), id, open.Token, []int{0}); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("the study accepts an answer after its deadline: %v", err)
	}
	for s.step(planner) {
	}
	if ended := s.study(); ended.State != study.Done || ended.Reason != study.Expired {
		t.Errorf("the study is %s, %s", ended.State, ended.Reason)
	}
	if verdict := s.agreed(); verdict.Answered != 12 || !verdict.Ended || verdict.CertifiedEpsilon == nil {
		t.Errorf("%+v", verdict)
	}
}

// TestDeadlineWhileNothingHappens: a planner that rests wakes up at the deadline.
func TestDeadlineWhileNothingHappens(t *testing.T) {
	s := begin(t, until(three(), time.Hour))
	planner := s.service("one").Planner(id)
	for range 5 { // until it has nothing to do
		s.step(planner)
	}
	pulses, err := s.store.Active(t.Context(), []int{1}) // the shard of the first study
	s.must(err)
	if planner.Wakes(pulses[0]) {
		t.Error("the planner wakes up early")
	}
	s.pass(time.Hour)
	if !planner.Wakes(pulses[0]) {
		t.Error("the planner sleeps past the deadline")
	}
}

// TestDeadlineIsChecked: a new deadline is in the future, and a draft with one that has passed is not
// opened.
func TestDeadlineIsChecked(t *testing.T) {
	s := empty(t)
	s.create(id, until(three(), time.Minute), study.Draft)
	service := s.service("one")
	set := func(at time.Time) error {
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Settings.Deadline = at; return nil })
		return err
	}
	if err := set(s.clock().Add(-time.Second)); study.Coded(err).Field != "settings.deadline" {
		t.Errorf("a deadline in the past: %v", err)
	}
	s.pass(time.Hour)
	if _, err := service.SetState(t.Context(), id, owner.Any, study.Open); study.Coded(err).Field != "settings.deadline" {
		t.Errorf("the draft is opened after its deadline: %v", err)
	}
	s.must(set(s.clock().Add(90 * time.Second)))
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
}

// TestReopen: a study that was stopped, or has reached its budget or its deadline, continues when its
// owner opens it again, without the limit that it has reached. Its log verifies at all times.
func TestReopen(t *testing.T) {
	for _, reason := range []study.Reason{study.Stopped, study.Spent, study.Expired} {
		t.Run(string(reason), func(t *testing.T) {
			settings := three()
			switch reason { //nolint:exhaustive // the others have no settings
			case study.Spent:
				settings.Budget = 8
			case study.Expired:
				settings = until(settings, time.Minute)
			}
			s := begin(t, settings)
			s.prefers(0.1, 0.1)
			service := s.service("one")
			planner := service.Planner(id)
			s.run(service, planner, 1, 8)
			s.pass(time.Minute)
			if reason == study.Stopped {
				_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
				s.must(err)
			}
			for s.step(planner) {
			}
			if ended := s.study(); ended.Reason != reason || ended.State != study.Done {
				t.Fatalf("the study is %s, %s", ended.State, ended.Reason)
			}
			s.agreed()
			reopened, err := service.SetState(t.Context(), id, owner.Any, study.Open)
			s.must(err)
			if reopened.State != study.Open || reopened.Reason != "" || reopened.Settings.Budget != 0 || !reopened.Settings.Deadline.IsZero() {
				t.Errorf("%+v", reopened)
			}
			s.agreed()
			s.run(service, planner, 1, 8)
			if verdict := s.agreed(); verdict.Answered != 16 || verdict.Ended {
				t.Errorf("%+v", verdict)
			}
		})
	}
}

// TestDecidedStaysDone: a study that is certified is not opened again, even if its owner has closed
// it.
func TestDecidedStaysDone(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	planner := service.Planner(id)
	for s.study().State != study.Done {
		s.run(service, planner, 1, 8)
	}
	if verdict := s.agreed(); verdict.Status != strategy.Certified.String() {
		t.Fatalf("%+v", verdict)
	}
	for _, reason := range []study.Reason{study.Certified, study.Stopped} {
		st := s.study()
		st.Reason = reason
		_, err := s.store.Change(t.Context(), st, st.Version, nil)
		s.must(err)
		if _, err := service.SetState(t.Context(), id, owner.Any, study.Open); study.Coded(err).Code != study.CodeWrongState {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// TestReopenWaitsForSessions: where the end of a study has completed respondents who were answering,
// it opens again only after their sessions.
func TestReopenWaitsForSessions(t *testing.T) {
	settings := byMajority(study.NoLimit)
	settings.Budget = 6
	s := begin(t, settings)
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	for i := range 6 {
		s.answer(service, fmt.Sprint("r", i%3))
	}
	s.pass(11 * time.Second)
	for s.step(planner) {
	}
	if _, err := service.SetState(t.Context(), id, owner.Any, study.Open); study.Coded(err).Code != study.CodeInvalid {
		t.Errorf("it opens during sessions: %v", err)
	}
	s.pass(study.MinSession)
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	s.run(service, planner, 1, 3)
	s.complete("respondents who continue", 3)
}
