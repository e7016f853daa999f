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
)

const day = 24 * time.Hour

// TestPlannerOfTheFuture: a planner that is gone is replaced within seconds, even if its clock was
// a day ahead.
func TestPlannerOfTheFuture(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Pass(day)
	s.Step(s.Service("one").Planner(id))
	s.Pass(-day)
	two := s.Service("two")
	planner := two.Planner(id)
	for seconds := range 5 {
		s.Must(two.Import(t.Context(), id, strconv.Itoa(seconds), s.Foreign(1)))
		s.Step(planner)
		s.Pass(time.Second)
	}
	if plans := len(s.Plans()); plans < 3 {
		t.Errorf("there are %d plans", plans)
	}
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
	ahead := s.ServiceOn(s.Store, wiring.Options{Name: "ahead", Clock: func() time.Time { return s.Clock().Add(time.Minute) }}).Planner(id)
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
	err := s.Store.AcquireLease(t.Context(), id, "two", s.Clock(), s.Clock().Add(time.Second))
	if led, ok := errors.AsType[*study.LeaseHeldError](err); !ok || led.Until.Sub(s.Clock()) > 2*time.Second {
		t.Errorf("another planner holds the lease: %#v", err)
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
