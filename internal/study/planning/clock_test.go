package planning_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
)

const day = 24 * time.Hour

// TestPlannerOfTheFuture: a planner that is gone is replaced within seconds, even if its clock was
// a day ahead.
func TestPlannerOfTheFuture(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		ahead := s.ServiceOn(s.Store, wiring.Options{Name: "ahead", Clock: func() time.Time { return time.Now().Add(day) }})
		s.Step(ahead.Planner(id))
		two := start(s, "two", s.Store)
		s.Must(two.Import(s.Context(), id, "batch", s.Foreign(1)))
		if took := studytest.Await(s.T, "it is counted", func() bool { return planCount(s) == 2 }); took > 2*time.Second {
			s.Errorf("the takeover took %v", took)
		}
	})
}

// TestPlannerAhead: a planner whose clock is ahead keeps its lease while it prolongs it.
func TestPlannerAhead(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	ahead := s.ServiceOn(s.Store, wiring.Options{Name: "ahead", Clock: func() time.Time { return s.Clock().Add(day) }})
	planner, other := ahead.Planner(id), s.Service("other").Planner(id)
	s.Step(planner)
	for i := range 20 {
		s.Must(ahead.Import(t.Context(), id, strconv.Itoa(i), s.Foreign(1)))
		s.Step(other)
		if plans := len(s.Plans()); plans != i+1 {
			t.Fatalf("after %d s there are %d plans, so the other planner has taken over", i, plans)
		}
		s.Step(planner)
		s.Pass(time.Second)
	}
}

// TestOvertakenByAClock: a planner that believes that it holds the lease, while another one with a
// clock ahead has planned, finds answers to unknown questions. It yields to the other one.
func TestOvertakenByAClock(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	ahead := s.ServiceOn(s.Store, wiring.Options{
		Name:  "ahead",
		Clock: func() time.Time { return s.Clock().Add(time.Minute) },
	}).Planner(id)
	for i := range 40 {
		if i%8 == 0 {
			s.Step(ahead)
		}
		s.Answer(service, strconv.Itoa(i))
	}
	plans := len(s.Plans())
	if s.Step(planner); len(s.Plans()) != plans {
		t.Error("both planners hold the lease")
	}
	if s.Step(ahead); s.Agreed().Answered != 40 {
		t.Error("not all answers count")
	}
}

// TestClockSetBackWhileLeading: a planner whose clock was set back keeps the lease, and stores its
// new end.
func TestClockSetBackWhileLeading(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Pass(day)
	s.Step(planner)
	s.Pass(-day)
	s.Must(service.Import(t.Context(), id, "batch", s.Foreign(1)))
	s.Step(planner)
	if plans := len(s.Plans()); plans != 2 {
		t.Errorf("there are %d plans", plans)
	}
	for seconds, want := range []error{study.ErrNotYours, study.ErrNotYours, nil} {
		at := s.Clock().Add(time.Duration(seconds) * time.Second)
		if _, err := s.Store.AcquireLease(t.Context(), id, "two", at, at); !errors.Is(err, want) {
			t.Errorf("another planner, after %d s: %v", seconds, err)
		}
	}
}

// TestAnswersOfTheFuture: answers that were given while the clock was ahead still count.
func TestAnswersOfTheFuture(t *testing.T) {
	for ahead, after := range map[time.Duration]time.Duration{0: 10 * time.Second, 5 * time.Second: 15 * time.Second, day: 0} {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			s := studytest.Begin(t, studytest.Three()) // undo is possible for 10 s
			service := s.Service("one")
			planner := service.Planner(id)
			s.Step(planner)
			s.Pass(ahead)
			s.Answer(service, "anna")
			s.Pass(-ahead)
			for waited := time.Duration(0); waited < after; waited += time.Second {
				if s.Step(planner); len(s.Plans()) > 1 {
					t.Fatalf("the answer counts after %v, but can be undone until %v", waited, after)
				}
				s.Pass(time.Second)
			}
			if s.Step(planner); s.Agreed().Answered != 1 {
				t.Error("the answer does not count")
			}
		})
	}
}

// TestQuestionsOfTheFuture: a question that was asked while the clock was ahead can be answered
// until that time plus the lease, and is then replaced. The study continues meanwhile.
func TestQuestionsOfTheFuture(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	s.Pass(day)
	anna, ben := s.Ask(service, "anna"), s.Ask(service, "ben")
	s.Pass(-day)
	s.Work(service, planner, 20, 3)
	s.Must(service.Answer(t.Context(), id, anna.Token, []int{0}))
	s.Pass(day + time.Hour)
	s.Step(planner)
	if err := service.Answer(t.Context(), id, ben.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		t.Error(err)
	}
	s.Step(planner)
	if answered := s.Agreed().Answered; answered != 61 {
		t.Errorf("%d answers count", answered)
	}
}

// TestDeskWhenTheClockIsSetBack: after a respondent finds no question and the clock is set back,
// they get questions that another process plans later, and notice changes of the study.
func TestDeskWhenTheClockIsSetBack(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	s.Pass(day)
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNoQuestion) {
		t.Fatal(err)
	}
	s.Pass(-day)
	s.Step(s.Service("two").Planner(id))
	s.Ask(service, "anna")
	s.Pass(time.Hour)
	s.Ask(service, "anna")
	s.Pass(-time.Hour)
	_, err := s.Service("two").SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a paused study asks: %v", err)
	}
}

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
	attend := func() []study.Pulse {
		pulses, err := s.Store.Attend(t.Context(), "one", s.Clock, time.Second, 1, nil)
		s.Must(err)
		return pulses
	}
	if pulses := attend(); len(pulses) != 0 {
		t.Errorf("the study is due early: %+v", pulses)
	}
	s.Pass(time.Hour)
	if pulses := attend(); len(pulses) != 1 || !planner.Wakes(pulses[0]) {
		t.Errorf("the planner sleeps past the deadline: %+v", pulses)
	}
}

// TestGather: with Gather a resting planner wakes at the second pulse after an answer. When questions run out it is woken at
// once.
func TestGather(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	service.Live.Gather = true
	planner := service.Planner(id)
	rest := func() {
		for range 5 { // until it has nothing to do
			s.Step(planner)
		}
	}
	attend := func() study.Pulse {
		s.Pass(time.Second)
		pulses, err := s.Store.Attend(t.Context(), "one", s.Clock, 2*time.Second, 1, nil)
		s.Must(err)
		if len(pulses) != 1 {
			t.Fatalf("the study is not due: %+v", pulses)
		}
		return pulses[0]
	}
	for range 2 {
		rest()
		rung := service.Live.PlanWork.Wait(id)
		s.Answer(service, "anna")
		select {
		case <-rung:
			t.Error("an answer wakes the planner at once")
		default:
		}
		if planner.Wakes(attend()) || !planner.Wakes(attend()) {
			t.Error("the planner does not wake at the second pulse")
		}
	}
	rest()
	rung := service.Live.PlanWork.Wait(id)
	for i := range 16 { // as many as the deck has
		_, _ = service.Ask(t.Context(), id, fmt.Sprint("person ", i), "")
	}
	select {
	case <-rung:
	default:
		t.Error("an empty deck does not wake the planner")
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
			if reopened.State != study.Open || reopened.Reason != "" || reopened.Settings.Budget != 0 ||
				!reopened.Settings.Deadline.IsZero() {
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
