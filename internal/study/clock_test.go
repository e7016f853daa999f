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

// TestPlannerOfTheFuture: a planner that has gone is replaced within seconds, even if its clock was a day ahead.
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

// TestPlannerAhead: one whose clock is ahead is left alone as long as it is heard of.
func TestPlannerAhead(t *testing.T) {
	s := begin(t, three())
	ahead := s.serviceOn(s.store, wiring.Options{Name: "ahead", Clock: func() time.Time { return s.clock().Add(day) }})
	planner, other := ahead.Planner(id), s.service("other").Planner(id)
	s.step(planner)
	for i := range 20 {
		s.must(ahead.Import(t.Context(), id, strconv.Itoa(i), s.foreign(1)))
		s.step(other)
		if plans := len(s.plans()); plans != i+1 {
			t.Fatalf("after %d s there are %d plans, so the other one leads", i, plans)
		}
		s.step(planner)
		s.pass(time.Second)
	}
}

// TestOvertakenByAClock: a planner that believes that it leads, while another has planned by a clock that is ahead, finds answers
// to questions that it does not know. It lets the other one lead.
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
		t.Error("both of them lead")
	}
	if s.step(ahead); s.agreed().Answered != 40 {
		t.Error("not all answers count")
	}
}

// TestClockSetBackWhileLeading: a planner whose clock was set back leads on, and tells the store until when.
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
		t.Errorf("somebody leads: %#v", err)
	}
}

// TestAnswersOfTheFuture: answers that were given when the clock was ahead count all the same.
func TestAnswersOfTheFuture(t *testing.T) {
	for ahead, after := range map[time.Duration]time.Duration{0: 10 * time.Second, 5 * time.Second: 15 * time.Second, day: 0} {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			s := begin(t, three()) // which takes answers back for 10 s
			service := s.service("one")
			planner := service.Planner(id)
			s.step(planner)
			s.pass(ahead)
			s.answer(service, "anna")
			s.pass(-ahead)
			for waited := time.Duration(0); waited < after; waited += time.Second {
				if s.step(planner); len(s.plans()) > 1 {
					t.Fatalf("it counts after %v, and could be taken back until %v", waited, after)
				}
				s.pass(time.Second)
			}
			if s.step(planner); s.agreed().Answered != 1 {
				t.Error("it does not count")
			}
		})
	}
}

// TestQuestionsOfTheFuture: a question that was asked when the clock was ahead can be answered until it is that late,
// and is somebody else's then; the study goes on meanwhile.
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

// TestDeskWhenTheClockIsSetBack: one who finds no question, and whose clock is set back then, finds those that
// another process has planned since, and hears of what was changed.
func TestDeskWhenTheClockIsSetBack(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	s.pass(day)
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNone) {
		t.Fatal(err)
	}
	s.pass(-day)
	s.step(s.service("two").Planner(id))
	s.ask(service, "anna")
	s.pass(time.Hour)
	s.ask(service, "anna")
	s.pass(-time.Hour)
	_, err := s.service("two").Move(t.Context(), id, owner.Any, study.Paused)
	s.must(err)
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a study that is paused asks: %v", err)
	}
}
