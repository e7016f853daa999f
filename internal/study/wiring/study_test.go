package wiring_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bestpick/checks"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
)

// TestStudyIsCertified: a study ends certified with the best arm, and its log leads to the same
// verdict, replayed from the beginning or from a snapshot.
func TestStudyIsCertified(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	for round := 0; s.Step(planner); round++ {
		if round > 800 {
			t.Fatal("the study does not end")
		}
		for i := range 10 {
			s.Answer(service, fmt.Sprint("r", i%5))
		}
		s.Pass(11 * time.Second)
		if round%10 == 9 { // another process takes over after a crash
			s.Crash()
			service = s.Service(fmt.Sprint("process ", round))
			planner = service.Planner(id)
		}
	}
	if ended := s.Study(); ended.State != study.Done || ended.Reason != study.Certified {
		t.Fatalf("%+v", ended)
	}
	if verdict, best := s.Agreed(), s.Best(0, 1, 2, 3, 4, 5, 6, 7); verdict.Leader != best || verdict.Status != "certified" {
		t.Errorf("%+v, the best arm is %d", verdict, best)
	}
	if _, err := service.Ask(t.Context(), id, "late", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a done study asks: %v", err)
	}
}

// TestBudget: the budget ends a study, and can be changed until then. Imported answers count as
// well.
func TestBudget(t *testing.T) {
	settings := studytest.Three()
	settings.Budget = 100
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 1, 4)
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(5)))
	s.Step(planner)
	_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error {
		st.Settings.Budget = 10
		return nil
	})
	s.Must(err)
	if !s.Step(planner) {
		t.Fatal("the study ends before the budget is spent")
	}
	for range 8 {
		s.Ask(service, "ben") // so that the deck needs more questions
	}
	s.Answer(service, "anna")
	s.Pass(11 * time.Second)
	for range 2 {
		if s.Step(planner) {
			t.Error("the study continues after the budget is spent")
		}
	}
	if ended := s.Study(); ended.State != study.Done || ended.Reason != study.Spent {
		t.Errorf("%+v", ended)
	}
	if verdict := s.Agreed(); verdict.Answered != 10 || verdict.Status != "asking" {
		t.Errorf("%+v", verdict)
	}
	plans := s.Plans()
	if last := plans[len(plans)-1]; last.Done != study.Spent || last.Questions != nil {
		t.Errorf("the last plan is %q and asks %v", last.Done, last.Questions)
	}
}

// TestBudgetIsAimedAt: questions aim at the budget of a study when it is opened, also after edits, unless
// nothing is certified about it.
func TestBudgetIsAimedAt(t *testing.T) {
	for assumption, want := range map[strategy.Assumption]int{strategy.Majority: 0, strategy.Linear: 60} {
		s := studytest.Empty(t)
		settings := studytest.Three()
		settings.Budget, settings.Strategy.Assume, settings.PerRespondent = 60, assumption, 6
		s.Create(id, settings, study.Draft)
		service := s.Service("one")
		_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
		s.Must(err)
		planner := service.Planner(id)
		s.Work(service, planner, 3, 2)
		_, err = service.Change(t.Context(), id, owner.Any, func(st *study.Study) error {
			st.Settings.Budget, st.Settings.Strategy.Budget = 70, 0 // as settings from outside
			return nil
		})
		s.Must(err)
		opened := s.Study().Settings.Strategy
		if opened.Budget != want {
			t.Errorf("%s: questions aim at a budget of %d, want %d", assumption, opened.Budget, want)
		}
		s.Work(service, planner, 3, 2)
		s.Agreed()
	}
}

// TestRefuted: if the answers contradict the model, the study ends without a certificate.
func TestRefuted(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	answers := s.ForeignList(3000)
	for i := range answers {
		if i%2 == 0 {
			answers[i].Picks = answers[i].Shown[:1] // always the first slot
		}
	}
	s.Must(service.Import(t.Context(), id, "careless", studytest.Yielding(answers...)))
	for i := 0; s.Step(planner); i++ {
		if i > 3 {
			t.Fatalf("the study continues: %+v", s.Agreed())
		}
	}
	if ended := s.Study(); ended.State != study.Done || ended.Reason != study.Refuted {
		t.Errorf("%+v", ended)
	}
	if verdict := s.Agreed(); verdict.Status != "decided" || verdict.Model.Status != checks.Refuted {
		t.Errorf("%+v", verdict)
	}
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
