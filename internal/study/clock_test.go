package study_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/wiring"
)

const day = 24 * time.Hour

// TestPlannerOfTheFuture: a planner that is gone is replaced within seconds, even if its clock was
// a day ahead.
func TestPlannerOfTheFuture(t *testing.T) {
	s := begin(t, three())
	s.pass(day)
	s.step(s.service("one").Planner(id))
	s.pass(-day)
	two := s.service("two")
	planner := two.Planner(id)
	for seconds := range 5 {
		s.must(two.Import(t.Context(), id, strconv.Itoa(seconds), s.foreign(1)))
		s.step(planner)
		s.pass(time.Second)
	}
	if plans := len(s.plans()); plans < 3 {
		t.Errorf("there are %d plans", plans)
	}
}

// TestPlannerAhead: a planner whose clock is ahead keeps its lease while it prolongs it.
func TestPlannerAhead(t *testing.T) {
	s := begin(t, three())
	ahead := s.serviceOn(s.store, wiring.Options{Name: "ahead", Clock: func() time.Time { return s.clock().Add(day) }})
	planner, other := ahead.Planner(id), s.service("other").Planner(id)
	s.step(planner)
	for i := range 20 {
		s.must(ahead.Import(t.Context(), id, strconv.Itoa(i), s.foreign(1)))
		s.step(other)
		if plans := len(s.plans()); plans != i+1 {
			t.Fatalf("after %d s there are %d plans, so the other planner has taken over", i, plans)
		}
		s.step(planner)
		s.pass(time.Second)
	}
}

// TestOvertakenByAClock: a planner that believes that it holds the lease, while another one with a
// clock ahead has planned, finds answers to unknown questions. It yields to the other one.
func TestOvertakenByAClock(t *testing.T) {
	settings := three()
	settings.Grace = -1
	s := begin(t, settings)
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	ahead := s.serviceOn(s.store, wiring.Options{Name: "ahead", Clock: func() time.Time { return s.clock().Add(time.Minute) }}).Planner(id)
	for i := range 40 {
		if i%8 == 0 {
			s.step(ahead)
		}
		s.answer(service, strconv.Itoa(i))
	}
	plans := len(s.plans())
	if s.step(planner); len(s.plans()) != plans {
		t.Error("both planners hold the lease")
	}
	if s.step(ahead); s.agreed().Answered != 40 {
		t.Error("not all answers count")
	}
}

// TestClockSetBackWhileLeading: a planner whose clock was set back keeps the lease, and stores its
// new end.
func TestClockSetBackWhileLeading(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	planner := service.Planner(id)
	s.pass(day)
	s.step(planner)
	s.pass(-day)
	s.must(service.Import(t.Context(), id, "batch", s.foreign(1)))
	s.step(planner)
	if plans := len(s.plans()); plans != 2 {
		t.Errorf("there are %d plans", plans)
	}
	err := s.store.Lead(t.Context(), id, "two", s.clock(), s.clock().Add(time.Second))
	if led, ok := errors.AsType[*study.LedError](err); !ok || led.Until.Sub(s.clock()) > 2*time.Second {
		t.Errorf("another planner holds the lease: %#v", err)
	}
}

// TestAnswersOfTheFuture: answers that were given while the clock was ahead still count.
func TestAnswersOfTheFuture(t *testing.T) {
	for ahead, after := range map[time.Duration]time.Duration{0: 10 * time.Second, 5 * time.Second: 15 * time.Second, day: 0} {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			s := begin(t, three()) // undo is possible for 10 s
			service := s.service("one")
			planner := service.Planner(id)
			s.step(planner)
			s.pass(ahead)
			s.answer(service, "anna")
			s.pass(-ahead)
			for waited := time.Duration(0); waited < after; waited += time.Second {
				if s.step(planner); len(s.plans()) > 1 {
					t.Fatalf("the answer counts after %v, but can be undone until %v", waited, after)
				}
				s.pass(time.Second)
			}
			if s.step(planner); s.agreed().Answered != 1 {
				t.Error("the answer does not count")
			}
		})
	}
}

// TestQuestionsOfTheFuture: a question that was asked while the clock was ahead can be answered
// until that time plus the lease, and is then replaced. The study continues meanwhile.
func TestQuestionsOfTheFuture(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	s.pass(day)
	anna, ben := s.ask(service, "anna"), s.ask(service, "ben")
	s.pass(-day)
	s.run(service, planner, 20, 3)
	s.must(service.Answer(t.Context(), id, anna.Token, []int{0}))
	s.pass(day + time.Hour)
	s.step(planner)
	if err := service.Answer(t.Context(), id, ben.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		t.Error(err)
	}
	s.step(planner)
	if answered := s.agreed().Answered; answered != 61 {
		t.Errorf("%d answers count", answered)
	}
}

// TestDeskWhenTheClockIsSetBack: after a respondent finds no question and the clock is set back,
// they get questions that another process plans later, and notice changes of the study.
func TestDeskWhenTheClockIsSetBack(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	s.pass(day)
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNoQuestion) {
		t.Fatal(err)
	}
	s.pass(-day)
	s.step(s.service("two").Planner(id))
	s.ask(service, "anna")
	s.pass(time.Hour)
	s.ask(service, "anna")
	s.pass(-time.Hour)
	_, err := s.service("two").SetState(t.Context(), id, owner.Any, study.Paused)
	s.must(err)
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a paused study asks: %v", err)
	}
}
