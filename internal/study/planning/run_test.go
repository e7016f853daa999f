package planning_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// TestRun: several studies are planned concurrently, in the order in which they are opened, until
// they are over; then they are removed from memory.
func TestRun(t *testing.T) {
	settings := studytest.Three()
	settings.Grace, settings.Budget = -1, 20
	studytest.InBubble(t, settings, func(s *studytest.Stage) {
		p := start(s, "one", s.Store)
		others := []string{"paused", "draft", "second", "third"}
		s.Create("paused", settings, study.Paused)
		s.Create("draft", settings, study.Draft)
		s.Create("second", settings, study.Open)
		s.Create("third", settings, study.Open)
		opened := time.Now()
		var answering sync.WaitGroup
		for _, of := range []string{id, "second", "third", "draft"} {
			answering.Go(func() {
				if of == "draft" {
					time.Sleep(5 * time.Second)
					if _, err := p.SetState(s.Context(), of, owner.Any, study.Open); err != nil {
						s.Error(err)
					}
				}
				began := time.Now()
				for i := range 20 {
					lease, err := p.Ask(s.Context(), of, fmt.Sprint("r", i), "")
					if of == "draft" && i == 0 && time.Since(began) > 100*time.Millisecond {
						s.Errorf("the first question came after %v", time.Since(began))
					}
					if err == nil {
						err = p.Answer(s.Context(), of, lease.Token, []int{i % 3})
					}
					if err != nil {
						s.Errorf("%s, answer %d: %v", of, i, err)
						return
					}
				}
				studytest.Await(s.T, of+" is over", func() bool {
					st, err := s.Store.Study(s.Context(), of)
					return err != nil || st.State == study.Done && st.Reason == study.Spent
				})
			})
		}
		answering.Wait()
		if took := time.Since(opened); took > 8*time.Second {
			s.Errorf("the studies took %v", took)
		}
		for _, of := range others[:1] {
			if last, err := s.Store.LastPlan(s.Context(), of); err != nil || last.Number != 1 || last.Questions != nil {
				s.Errorf("%s: plan %+v, %v", of, last.Number, err)
			}
		}
		if said := p.reported(); said != nil {
			s.Errorf("reported: %q", said)
		}
		if _, err := p.Ask(s.Context(), "third", "late", ""); !errors.Is(err, study.ErrNotOpen) {
			s.Error(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()                                           // planners that have left happen before
		if desks, bells := p.Left(s.T); desks != 0 || bells > 1 { // for the paused one
			s.Errorf("%d desks and %d waiting channels are left", desks, bells)
		}
		s.Agreed()
	})
}

// TestRunKeepsUp: respondents who arrive in a burst, after a long silence, do not wait long for
// questions.
func TestRunKeepsUp(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		p, looks := startCounting(s, "Attend")
		time.Sleep(10 * time.Second)
		looked := looks.Load()
		studytest.Await(s.T, "it looks at the studies", func() bool { return looks.Load() > looked })
		began := time.Now()
		for i := range 100 {
			s.Ask(p.Service, fmt.Sprint("r", i))
		}
		if took := time.Since(began); took > 200*time.Millisecond {
			s.Errorf("the burst took %v", took)
		}
	})
}

// TestRunRests: a quiet study takes no steps, and reacts to an event at once.
func TestRunRests(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		p, steps := startCounting(s, "AcquireLease")
		time.Sleep(10 * time.Second)
		settled := steps.Load()
		time.Sleep(10 * time.Minute)
		if n := steps.Load() - settled; n > 0 {
			s.Errorf("%d steps in ten quiet minutes", n)
		}
		s.Must(p.Import(s.Context(), id, "survey", s.Foreign(1)))
		time.Sleep(10 * time.Second)
		s.Must(p.Import(s.Context(), id, "another", s.Foreign(1)))
		if waited := studytest.Await(s.T, "it is counted", func() bool { return planCount(s) == 3 }); waited > 50*time.Millisecond {
			s.Errorf("the answer was counted after %v", waited)
		}
	})
}

// TestNothingIsDue: a study that rests is not due, also after a change that needs no plan, and after its end.
func TestNothingIsDue(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		p := start(s, "one", s.Store)
		rests := func() {
			s.Helper()
			time.Sleep(10 * time.Second)
			later := func() time.Time { return time.Now().Add(leaseFor) }
			if due, err := s.Store.Attend(s.Context(), "other", later, 0, 1, nil); err != nil || len(due) > 0 {
				s.Errorf("%+v is due: %v", due, err)
			}
		}
		rests()
		plans := planCount(s)
		_, err := p.Change(s.Context(), id, owner.Any, func(st *study.Study) error { st.Name += "!"; return nil })
		s.Must(err)
		if rests(); planCount(s) != plans {
			s.Errorf("there are %d plans after %d", planCount(s), plans)
		}
		_, err = p.SetState(s.Context(), id, owner.Any, study.Done)
		s.Must(err)
		rests()
	})
}

// TestRunRestsBetweenAnswers: an answer takes one step when it arrives, and one that counts it when it can no longer be
// undone, at most a second later. The log is read with the lease.
func TestRunRestsBetweenAnswers(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		p, reads := startCounting(s, "Log")
		time.Sleep(10 * time.Second)
		for range 3 {
			before, answered := reads.Load(), s.Answered()
			s.Answer(p.Service, "anna")
			time.Sleep(s.Study().Settings.Grace - time.Millisecond)
			if n := s.Answered() - answered; n != 0 {
				s.Errorf("%d answers were counted while the answer can be undone", n)
			}
			time.Sleep(1100 * time.Millisecond)
			if n := s.Answered() - answered; n != 1 {
				s.Errorf("%d answers were counted after one", n)
			}
			if n := reads.Load() - before; n != 0 {
				s.Errorf("the log was read %d times for one answer", n)
			}
		}
	})
}

// TestStepsAreBounded: the planners of many studies that are due at the same time leave connections to respondents.
func TestStepsAreBounded(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		const studies = 40
		for i := range studies {
			s.Create(fmt.Sprint("study ", i), studytest.Three(), study.Open)
		}
		var now, most atomic.Int32
		start(s, "one", &studytest.Faulty{Store: s.Store, Before: func(call string) error {
			if call == "Append" {
				most.Store(max(most.Load(), now.Add(1)))
				time.Sleep(time.Millisecond)
				now.Add(-1)
			}
			return nil
		}})
		time.Sleep(10 * time.Second)
		if limit := 1 + max(2, runtime.NumCPU()/2); most.Load() == 0 || int(most.Load()) > limit {
			s.Errorf("%d steps at the same time, want at most %d", most.Load(), limit)
		}
	})
}

// TestPeopleComeFirst: a study with people is planned soon, also while many others are due.
func TestPeopleComeFirst(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		const studies = 200
		for i := range studies {
			s.Create(fmt.Sprint("study ", i), studytest.Three(), study.Open)
		}
		p := start(s, "one", &studytest.Faulty{Store: s.Store, Before: func(call string) error {
			if call == "Append" {
				time.Sleep(time.Second)
			}
			return nil
		}})
		time.Sleep(500 * time.Millisecond)
		for _, of := range []string{"study 199", "study 55"} { // the first one waits for no step yet
			began := time.Now()
			_, err := p.Ask(s.Context(), of, "anna", "")
			s.Must(err)
			if took := time.Since(began); took > 4*time.Second {
				s.Errorf("%s asks after %v", of, took)
			}
		}
	})
}

// startCounting starts a process, and counts its calls of a method of the store.
func startCounting(s *studytest.Stage, method string) (p *process, calls *atomic.Int32) {
	calls = &atomic.Int32{}
	return start(s, "one", &studytest.Faulty{Store: s.Store, Before: func(call string) error {
		if call == method {
			calls.Add(1)
		}
		return nil
	}}), calls
}

// leaseFor is the duration of a lease.
const leaseFor = 2 * time.Second

// planCount returns the number of plans.
func planCount(s *studytest.Stage) int {
	last, err := s.Store.LastPlan(s.Context(), id)
	if err != nil {
		return 0
	}
	return last.Number
}

// TestAnotherTakesOver: another process takes over at once when a planner resigns, and after a
// while when it disappears. A planner that returns does not interfere.
func TestAnotherTakesOver(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	studytest.InBubble(t, settings, func(s *studytest.Stage) {
		cut := errors.New("the cable is cut")
		broken := make(chan struct{})
		first := start(s, "one", &studytest.Faulty{Store: s.Store, Before: func(string) error {
			select {
			case <-broken:
				return cut
			default:
				return nil
			}
		}})
		studytest.Await(s.T, "there is a plan", func() bool { return planCount(s) == 1 })
		second := start(s, "two", s.Store)
		answered := func(p *process, plan int) time.Duration {
			s.Helper()
			s.Answer(p.Service, "anna")
			return studytest.Await(s.T, fmt.Sprintf("there is plan %d", plan), func() bool { return planCount(s) >= plan })
		}
		if waited := answered(first, 2); waited > 100*time.Millisecond {
			s.Errorf("an answer was counted by the same process after %v", waited)
		}
		if waited := answered(second, 3); waited > 1100*time.Millisecond { // it polls the file
			s.Errorf("an answer was counted by another process after %v", waited)
		}
		close(broken)
		if waited := answered(second, 4); waited > 4*time.Second {
			s.Errorf("the takeover from a planner that disappeared took %v", waited)
		}
		third := start(s, "three", s.Store)
		time.Sleep(2 * time.Second)
		second.stop()
		if waited := answered(third, 5); waited > 1600*time.Millisecond {
			s.Errorf("the takeover from a planner that resigned took %v", waited)
		}
		if said := append(second.reported(), third.reported()...); said != nil {
			s.Errorf("reported: %q", said)
		}
		if verdict := s.Agreed(); verdict.Answered != 4 {
			s.Errorf("%+v", verdict)
		}
	})
}

// TestRunGoesOn: errors are reported with backoff, and planning continues when they end.
func TestRunGoesOn(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		var mutex sync.Mutex
		failing := "Attend"
		store := &studytest.Faulty{Store: s.Store, Before: func(call string) error {
			mutex.Lock()
			defer mutex.Unlock()
			if call == failing {
				return errors.New(call + " fails")
			}
			return nil
		}}
		p := start(s, "one", store)
		fail := func(call string) {
			mutex.Lock()
			defer mutex.Unlock()
			failing = call
		}
		time.Sleep(5500 * time.Millisecond)
		fail("Append")
		if said := p.reported(); len(said) != 6 || said[0] != ": Attend fails" {
			s.Errorf("reported: %q", said)
		}
		time.Sleep(time.Minute)
		if said := p.reported()[6:]; len(said) < 10 || len(said) > 20 || said[0] != id+": Append fails" {
			s.Errorf("reported: %q", said)
		}
		fail("")
		studytest.Await(s.T, "there is a plan", func() bool { return planCount(s) == 1 })
		reported := len(p.reported())
		time.Sleep(time.Minute)
		if said := p.reported()[reported:]; len(said) > 0 {
			s.Errorf("reported: %q", said)
		}
	})
}

// TestPanicsAreReported: a panic while planning is reported as an error, and ends nothing.
func TestPanicsAreReported(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		p := start(s, "one", &studytest.Faulty{
			Store:  s.Store,
			Before: studytest.Once("Append", func() error { panic("unexpected state") }),
		})
		studytest.Await(s.T, "there is a plan", func() bool { return planCount(s) == 1 })
		if said := p.reported(); len(said) != 1 || !strings.Contains(said[0], "unexpected state") {
			s.Errorf("reported: %q", said)
		}
	})
}

// TestDeletedWhileItRuns: deleting a study while it is planned causes no error.
func TestDeletedWhileItRuns(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		p := start(s, "one", s.Store)
		s.Ask(p.Service, "anna")
		s.Must(p.Delete(s.Context(), id, owner.Any))
		time.Sleep(2 * time.Second)
		if said := p.reported(); said != nil {
			s.Errorf("reported: %q", said)
		}
		if _, err := p.Ask(s.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotFound) {
			s.Error(err)
		}
		if err := p.Watch(s.Context(), id, nil); !errors.Is(err, study.ErrNotFound) {
			s.Error(err)
		}
		synctest.Wait()
		if desks, bells := p.Left(s.T); desks != 0 || bells > 0 {
			s.Errorf("%d desks and %d waiting channels are left", desks, bells)
		}
	})
}

// TestStoppedWhileNobodyPlanned: the last answers are counted when a process plans again.
func TestStoppedWhileNobodyPlanned(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		p := start(s, "one", s.Store)
		s.Answer(p.Service, "anna")
		p.stop()
		for i := range 150 { // more than a page
			s.Create(fmt.Sprint("other ", i), studytest.Three(), study.Draft)
		}
		_, err := p.SetState(s.Context(), id, owner.Any, study.Done)
		s.Must(err)
		again := start(s, "two", s.Store)
		studytest.Await(s.T, "the answer is counted", func() bool {
			progress, err := p.Progress(s.Context(), id)
			s.Must(err)
			return progress.Verdict.Answered == 1
		})
		plans := planCount(s)
		time.Sleep(time.Second)
		again.stop()
		start(s, "three", s.Store)
		time.Sleep(time.Second)
		if now := planCount(s); now != plans {
			s.Errorf("the log has %d plans after %d", now, plans)
		}
		if said := again.reported(); said != nil {
			s.Errorf("reported: %q", said)
		}
	})
}

// A gone store fails like one whose database is down for a while.
type gone struct{ *studytest.Faulty }

var errGone = fmt.Errorf("%w: there is no server", study.ErrUnavailable)

// TestRunAfterAnOutage: after an outage of the store of any length, planning continues within about
// a second.
func TestRunAfterAnOutage(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		var out atomic.Bool
		p := start(s, "one", gone{&studytest.Faulty{Store: s.Store, Before: func(string) error {
			if out.Load() {
				return errGone
			}
			return nil
		}}})
		studytest.Await(s.T, "it is planned", func() bool { return planCount(s) == 1 })
		out.Store(true)
		time.Sleep(10 * time.Minute)
		s.Must(s.ServiceOn(s.Store, wiring.Options{}).Import(s.Context(), id, "survey", s.Foreign(1)))
		out.Store(false)
		if waited := studytest.Await(s.T, "it goes on", func() bool { return planCount(s) == 2 }); waited > 1200*time.Millisecond {
			s.Errorf("planning continued after %v", waited)
		}
		if said := p.reported(); len(said) == 0 {
			s.Error("no error was reported")
		}
	})
}

// A process runs a service until it is stopped.
type process struct {
	*studytest.Service

	stop  func()
	mutex sync.Mutex
	said  []string // reported errors
}

// start runs a service on a store, with the clock of the bubble.
func start(s *studytest.Stage, name string, store study.Store) *process {
	s.Helper()
	return startWith(s, store, wiring.Options{Name: name})
}

// startWith runs a process on a store until the test ends.
func startWith(s *studytest.Stage, store study.Store, o wiring.Options) *process {
	s.Helper()
	p := &process{}
	o.Patience, o.Report = time.Minute, func(of string, err error) {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.said = append(p.said, fmt.Sprintf("%s: %v", of, err))
	}
	p.Service = s.ServiceOn(store, o)
	ctx, cancel := context.WithCancel(s.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	p.stop = func() {
		cancel()
		running.Wait()
	}
	s.Cleanup(p.stop)
	return p
}

// reported returns the errors that the process has reported, with their studies.
func (p *process) reported() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.said
}
