package planning_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// TestOthersCountWhileAnswersAreTakenBack: as in every busy study, there is always an answer that
// will be undone. The answers of others still count, in time.
func TestOthersCountWhileAnswersAreTakenBack(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	two := [2]dispatch.Lease{s.Ask(service, "ben"), s.Ask(service, "ben")}
	s.Must(service.Answer(t.Context(), id, two[0].Token, []int{0}))
	for i := range 12 {
		s.Answer(service, "anna")
		s.Must(service.Answer(t.Context(), id, two[(i+1)%2].Token, []int{0}))
		s.Must(service.Undo(t.Context(), id, two[i%2].Token))
		s.Pass(5 * time.Second)
		s.Step(planner)
		if verdict := s.Agreed(); verdict.Answered != i {
			t.Fatalf("%d answers can no longer be undone, %d count", i, verdict.Answered)
		}
	}
	s.Pass(11 * time.Second)
	s.Step(planner)
	if verdict := s.Agreed(); verdict.Answered != 13 { // the last answer of ben stands
		t.Errorf("%+v", verdict)
	}
}

// TestTakenBackAtTheLastMoment: an answer that is undone while a plan that counts it is made does
// not count.
func TestTakenBackAtTheLastMoment(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	store := &studytest.Faulty{Store: s.Store}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	store.Before = studytest.Once("nothing", nil)
	planner := service.Planner(id)
	s.Step(planner)
	s.Answer(service, "anna")
	lease := s.Ask(service, "ben")
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	s.Pass(11 * time.Second)
	store.Before = studytest.Once("Append", func() error { return service.Undo(t.Context(), id, lease.Token) })
	if activity, err := planner.Step(t.Context()); activity != planning.Busy || err != nil {
		t.Errorf("%v, %v", activity, err)
	}
	s.Step(planner)
	if verdict := s.Agreed(); verdict.Answered != 1 {
		t.Errorf("%+v", verdict)
	}
}

// TestStopped: the last plan of a stopped study counts all answers: also answers that could still be
// undone, and those of a process whose clock is ahead. No answer can be undone any more.
func TestStopped(t *testing.T) {
	settings := studytest.Three()
	settings.Budget = 100
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	ahead := s.ServiceOn(s.Store, wiring.Options{Name: "two", Clock: func() time.Time { return s.Clock().Add(time.Minute) }})
	planner := service.Planner(id)
	s.Step(planner)
	s.Answer(service, "anna")
	s.Answer(ahead, "ben")
	s.Answer(service, "cleo")
	lease := s.Ask(service, "dora")
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	late, undecided := s.Ask(service, "late"), s.Ask(service, "undecided")
	s.Must(service.Answer(t.Context(), id, undecided.Token, []int{0}))
	s.Must(service.Undo(t.Context(), id, undecided.Token))
	_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	if err := service.Answer(t.Context(), id, late.Token, []int{0}); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("an answer after the end: %v", err)
	}
	if err := service.Skip(t.Context(), id, undecided.Token); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a skip after the end: %v", err)
	}
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0})) // already recorded
	if err := service.Undo(t.Context(), id, lease.Token); !errors.Is(err, study.ErrTooLate) {
		t.Errorf("an undo after the end: %v", err)
	}
	for i := 0; s.Step(planner); i++ {
		if i > 3 {
			t.Fatal("the study never ends")
		}
	}
	if st := s.Study(); st.Reason != study.Stopped || st.State != study.Done {
		t.Errorf("%+v", st)
	}
	if verdict := s.Agreed(); verdict.Answered != 4 {
		t.Errorf("%+v", verdict)
	}
	plans := s.Plans()
	if last := plans[len(plans)-1]; last.Done != "" || last.Questions != nil {
		t.Errorf("the last plan is %q and asks %v", last.Done, last.Questions)
	}
	if s.Step(service.Planner(id)) || len(s.Plans()) != len(plans) {
		t.Error("the log has one more plan")
	}
}

// TestPaused: a paused study counts answers to open questions, gives up unanswered ones, and asks
// nothing.
func TestPaused(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	lease, lost := s.Ask(service, "anna"), s.Ask(service, "ben")
	_, err := service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	if _, err := service.Ask(t.Context(), id, "cleo", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a paused study asks: %v", err)
	}
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	s.Pass(2 * time.Minute)
	s.Step(planner)
	s.Step(planner)
	plans := s.Plans()
	if last := plans[len(plans)-1]; len(plans) != 2 || last.Questions != nil {
		t.Errorf("%d plans, the last asks %v", len(plans), last.Questions)
	}
	if err := service.Answer(t.Context(), id, lost.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		t.Errorf("the question was lost: %v", err)
	}
	if verdict := s.Agreed(); verdict.Answered != 1 {
		t.Errorf("%+v", verdict)
	}
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	s.AskedAgain(service, planner, lost.Shown)
}

// TestPlanThatFails: after any failure while a plan is made, nothing is lost or done twice,
// including changes of arms.
func TestPlanThatFails(t *testing.T) {
	for _, call := range []string{"AcquireLease", "Catalogue", "Log", "Append"} {
		t.Run(call, func(t *testing.T) {
			s := studytest.Begin(t, studytest.Three())
			store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
			service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
			planner := service.Planner(id)
			s.Work(service, planner, 2, 5)
			s.Answer(service, "anna")
			s.Pass(11 * time.Second)
			_, err := service.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.5, 0.5))
			s.Must(err)
			_, err = service.Withdraw(t.Context(), id, owner.Any, "a3")
			s.Must(err)
			broken := errors.New("the disk is full")
			store.Before = studytest.Once(call, func() error { return broken })
			if _, err := planner.Step(t.Context()); !errors.Is(err, broken) {
				t.Errorf("the error is %v", err)
			}
			s.Step(planner)
			plans := s.Plans()
			if last := plans[len(plans)-1]; last.Arms != 9 || len(last.Withdrawn) != 1 || last.Withdrawn[0] != 3 {
				t.Errorf("the last plan is %+v", last)
			}
			if verdict := s.Agreed(); verdict.Answered != 11 {
				t.Errorf("%+v", verdict)
			}
		})
	}
}

// TestOnePlannerLeads: while one planner holds the lease, others do nothing. When it has resigned,
// or has been silent for long enough, another one continues from the store, and the first one
// notices.
func TestOnePlannerLeads(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	one, two := service.Planner(id), s.Service("two").Planner(id)
	step := func(p *planning.Planner, want planning.Activity) {
		t.Helper()
		if activity, err := p.Step(t.Context()); err != nil || activity != want {
			t.Errorf("%v, %v, want %v", activity, err, want)
		}
	}
	next := func() {
		s.Answer(service, "anna")
		s.Pass(time.Second / 2)
	}
	_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Settings.Grace = -1; return nil })
	s.Must(err)
	step(one, planning.Busy)
	next()
	step(two, planning.Idle)
	step(one, planning.Busy)
	s.Must(two.Resign(t.Context())) // without a lease this does nothing
	next()
	step(two, planning.Idle)
	s.Must(one.Resign(t.Context()))
	step(two, planning.Busy)
	next()
	step(one, planning.Idle)
	s.Pass(time.Second) // 1.5 s after the other planner's last step
	step(one, planning.Idle)
	s.Pass(time.Second)
	step(one, planning.Busy)
	next()
	step(two, planning.Idle)
	step(one, planning.Busy)
	if verdict := s.Agreed(); verdict.Answered != 4 {
		t.Errorf("%+v", verdict)
	}
}

// TestQuiet: a study without answers has no new plan, until a respondent answers or its owner
// changes it.
func TestQuiet(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	s := studytest.Begin(t, settings)
	plans := 0
	store := &studytest.Faulty{Store: s.Store, Before: func(method string) error {
		if method == "Append" {
			plans++
		}
		return nil
	}}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	planner := service.Planner(id)
	steps := func(want int) {
		t.Helper()
		for range 3 {
			s.Step(planner)
			s.Pass(10 * time.Second)
		}
		if plans != want {
			t.Errorf("there are %d plans, want %d", plans, want)
		}
	}
	steps(1)
	steps(1)
	s.Answer(service, "anna")
	steps(2)
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a0")
	s.Must(err)
	steps(3)
	lease, err := service.Ask(t.Context(), id, "ben", "")
	s.Must(err)
	s.Pass(time.Hour) // the questions expire
	steps(4)
	if err := service.Answer(t.Context(), id, lease.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		t.Error(err)
	}
	s.Agreed()
}

// TestOvertaken: a planner that finds plans of another one does not try again while the other one
// holds the lease.
func TestOvertaken(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	tries := 0
	other := s.Service("two").Planner(id)
	store := &studytest.Faulty{Store: s.Store, Before: func(call string) error {
		if call == "Append" {
			tries++
			s.Pass(7 * time.Second) // the call blocks for a while
			s.Step(other)
		}
		return nil
	}}
	planner := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock}).Planner(id)
	for range 5 {
		if activity, err := planner.Step(t.Context()); err != nil || activity != planning.Idle {
			t.Errorf("%v, %v", activity, err)
		}
		s.Answer(s.Service("any"), "anna")
	}
	if plans := s.Plans(); tries != 1 || len(plans) != 1 {
		t.Errorf("the planner tried %d times, the log has %d plans", tries, len(plans))
	}
}

// TestLeadIsProlonged: no other planner gets the lease while a plan takes long.
func TestLeadIsProlonged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := studytest.Begin(t, studytest.Three())
		other := s.ServiceOn(s.Store, wiring.Options{Name: "two"}).Planner(id)
		store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("Append", func() error {
			for range 30 {
				time.Sleep(time.Second)
				if activity, err := other.Step(t.Context()); err != nil || activity != planning.Idle {
					t.Errorf("%v, %v", activity, err)
				}
			}
			return nil
		})}
		planner := s.ServiceOn(store, wiring.Options{Name: "one"}).Planner(id)
		if activity, err := planner.Step(t.Context()); err != nil || activity != planning.Busy {
			t.Errorf("%v, %v", activity, err)
		}
		if plans := s.Plans(); len(plans) != 1 {
			t.Errorf("the log has %d plans", len(plans))
		}
	})
}

// TestSnapshots: snapshots are saved from time to time and are optional: without one, or with one
// that cannot be read or belongs to another study, the study continues.
func TestSnapshots(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0, 0)
	var reported []error
	start := func(name string) (*studytest.Service, *planning.Planner) {
		service := s.ServiceOn(s.Store, wiring.Options{Name: name, Clock: s.Clock, Report: func(of string, err error) {
			if of != id {
				t.Errorf("reported of %q: %v", of, err)
			}
			reported = append(reported, err)
		}})
		return service, service.Planner(id)
	}
	service, planner := start("one")
	s.Must(service.Import(t.Context(), id, "most", s.Foreign(499)))
	s.Step(planner)
	if _, _, err := s.Store.Snapshot(t.Context(), id); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("the study already has a snapshot: %v", err)
	}
	s.Work(service, planner, 1, 1)
	plan, state, err := s.Store.Snapshot(t.Context(), id)
	s.Must(err)
	if plans := s.Plans(); plan != len(plans) {
		t.Errorf("the snapshot is of plan %d of %d", plan, len(plans))
	}
	var envelope struct {
		State struct {
			State struct {
				Out     map[study.Position][]int `json:"out"`
				Next    int                      `json:"next"`
				Answers int                      `json:"answers"`
			} `json:"state"`
		} `json:"state"`
	}
	s.Must(json.Unmarshal(state, &envelope))
	if kept := envelope.State.State; kept.Answers != 500 || len(kept.Out) != kept.Next-1 { // one question of the study is answered
		t.Errorf("%d answers, %d of %d questions are open", kept.Answers, len(kept.Out), kept.Next)
	}
	s.Work(service, planner, 1, 1)
	if later, _, err := s.Store.Snapshot(t.Context(), id); err != nil || later != plan {
		t.Errorf("the next snapshot is of plan %d: %v", later, err)
	}
	for i, bad := range []string{
		"", "{}", `{"strategy":{"name":"racing"},"state":{"arms":8}}`, // as of version 0.1.0
		strings.Replace(string(state), `"answers":500`, `"answers":499`, 1), string(state),
	} {
		s.Must(s.Store.SaveSnapshot(t.Context(), id, len(s.Plans()), []byte(bad)))
		service, planner = start(fmt.Sprint("bad ", i))
		s.Pass(10 * time.Second)
		s.Work(service, planner, 1, 3)
	}
	if len(reported) != 4 { // the last snapshot is of an earlier plan, and the plans since are replayed
		t.Errorf("reported: %v", reported)
	}
	if _, kept, err := s.Store.Snapshot(t.Context(), id); err != nil || !bytes.Equal(kept, state) {
		t.Errorf("the snapshot was replaced: %v", err)
	}
	if verdict := s.Agreed(); verdict.Answered != 516 {
		t.Errorf("%+v", verdict)
	}
}

// TestSnapshotThatCannotBeKept: a failure to save a snapshot is reported, and the study continues.
func TestSnapshotThatCannotBeKept(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) { // where no slice takes too long
		s.Prefers(0, 0)
		full := errors.New("the disk is full")
		store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("SaveSnapshot", func() error { return full })}
		var reported []error
		service := s.ServiceOn(store, wiring.Options{
			Name: "one", Clock: s.Clock,
			Report: func(_ string, err error) { reported = append(reported, err) },
		})
		planner := service.Planner(id)
		s.Must(service.Import(s.Context(), id, "one", s.Foreign(500)))
		s.Step(planner)
		s.Step(planner)
		if len(reported) != 1 || !errors.Is(reported[0], full) {
			s.Errorf("reported: %v", reported)
		}
		s.Must(service.Import(s.Context(), id, "two", s.Foreign(501)))
		s.Step(planner)
		if _, _, err := s.Store.Snapshot(s.Context(), id); err != nil {
			s.Errorf("no other snapshot was saved: %v", err)
		}
	})
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // unless the command line asks for more
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
