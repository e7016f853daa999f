package study_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
)

// TestEraseWhilePlanning: a planner that was making a plan starts again, without the respondents
// that are erased meanwhile.
func TestEraseWhilePlanning(t *testing.T) {
	for _, call := range []string{"Append", "Lead", "Catalogue", "Log", "SaveSnapshot"} {
		t.Run(call, func(t *testing.T) {
			s := begin(t, three())
			s.prefers(0.1, 0.1)
			store := &faulty{Store: s.store, before: once("nothing", nil)}
			service, other := s.serviceOn(store, wiring.Options{Name: "one", Clock: s.clock}), s.service("two")
			planner := service.Planner(id)
			s.run(service, planner, 2, 5)
			imported := 3
			if call == "SaveSnapshot" {
				imported = 510 // enough for a snapshot
			}
			s.must(service.Import(t.Context(), id, "many", s.foreign(imported)))
			if call == "Catalogue" {
				planner = service.Planner(id) // a planner without state in memory
			}
			store.before = once(call, func() error {
				s.erase(other, "r1")
				return nil
			})
			s.pass(3 * time.Second)
			for range 4 {
				s.step(planner)
				s.pass(time.Second)
			}
			s.unknown("r1")
			if verdict := s.agreed(); verdict.Answered != imported+8 {
				t.Errorf("%d answers count", verdict.Answered)
			}
			s.run(service, planner, 1, 5)
			s.agreed()
			s.crash()
			again := s.service("three")
			s.pass(3 * time.Second)
			s.run(again, again.Planner(id), 1, 5)
			if verdict := s.agreed(); verdict.Answered != imported+18 {
				t.Errorf("%d answers count", verdict.Answered)
			}
		})
	}
}

// TestEraseAndOthersAtOnce: with any concurrent operation during an erasure, no data of the erased
// respondent is left and all answers of the others count.
func TestEraseAndOthersAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile func(s *stage, service *instance, out, lately dispatch.Lease) error
		answers   int // counted in the end
	}{
		"another answer": {func(s *stage, service *instance, out, _ dispatch.Lease) error {
			return service.Answer(s.Context(), id, out.Token, []int{0})
		}, 8 + 2},
		"one taken back": {func(s *stage, service *instance, _, lately dispatch.Lease) error {
			return service.Undo(s.Context(), id, lately.Token)
		}, 8},
		"one more of theirs": {func(s *stage, service *instance, _, _ dispatch.Lease) error {
			lease := s.ask(service, "r1")
			return service.Answer(s.Context(), id, lease.Token, []int{0})
		}, 8 + 1},
		"a plan": {func(s *stage, service *instance, _, _ dispatch.Lease) error {
			s.step(service.Planner(id))
			return nil
		}, 8 + 1},
		"a change": {func(s *stage, service *instance, _, _ dispatch.Lease) error {
			_, err := service.Withdraw(s.Context(), id, owner.Any, "a3")
			return err
		}, 8 + 1},
		"another erasure": {func(s *stage, service *instance, _, _ dispatch.Lease) error {
			s.erase(service, "r2")
			return nil
		}, 6 + 1},
		"the end": {func(s *stage, service *instance, _, _ dispatch.Lease) error {
			_, err := service.SetState(s.Context(), id, owner.Any, study.Done)
			return err
		}, 8 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, three())
			s.prefers(0.5, 0.5)
			store := &faulty{Store: s.store, before: once("nothing", nil)}
			service, other := s.serviceOn(store, wiring.Options{Name: "one", Clock: s.clock}), s.service("two")
			s.run(other, other.Planner(id), 2, 5)
			out, lately := s.ask(other, "cy"), s.ask(other, "dee")
			s.must(other.Answer(t.Context(), id, lately.Token, []int{0}))
			s.pass(11 * time.Second) // the answer can be counted, but no planner has run
			store.before = once("Erase", func() error { return test.meanwhile(s, other, out, lately) })
			s.erase(service, "r1")
			s.agreed()
			s.pass(11 * time.Second)
			planner := service.Planner(id)
			for range 3 {
				s.step(planner)
			}
			if verdict := s.agreed(); verdict.Answered != test.answers {
				t.Errorf("%d answers count, want %d", verdict.Answered, test.answers)
			}
			s.unknown("r1")
		})
	}
}

// TestEraseInLiveTraffic: two processes serve many respondents while some are erased one by one.
// Questions are available without long waits, and each acknowledged answer of the others is in the
// log once.
func TestEraseInLiveTraffic(t *testing.T) {
	settings := three()
	settings.Grace = time.Second
	inABubble(t, settings, func(s *stage) {
		s.prefers(0.3, 0.1)
		two := []*process{s.start("one", s.store), s.start("two", s.store)}
		const people, each = 8, 20
		acknowledged := make([][]string, people)
		replaced := 0
		var mutex sync.Mutex
		var answering sync.WaitGroup
		for g := range people {
			answering.Go(func() {
				for len(acknowledged[g]) < each {
					token, err := s.answerOnce(two[g%2].instance, fmt.Sprint("p", g), g)
					switch {
					case err == nil:
						acknowledged[g] = append(acknowledged[g], token)
					case errors.Is(err, study.ErrReplaced):
						mutex.Lock()
						replaced++
						mutex.Unlock()
					default:
						s.Errorf("respondent %d: %v", g, err)
						return
					}
				}
			})
		}
		for g := range 3 {
			time.Sleep(700 * time.Millisecond)
			e, err := two[g%2].Erase(s.Context(), id, fmt.Sprint("p", g))
			s.must(err)
			if !e.Any() {
				s.Errorf("respondent p%d has no data to erase", g)
			}
		}
		answering.Wait()
		for g := range 3 {
			_, err := two[0].Erase(s.Context(), id, fmt.Sprint("p", g)) // their answers since
			s.must(err)
			s.unknown(fmt.Sprint("p", g))
		}
		awaited(s.T, "all answers count", func() bool {
			progress, err := two[0].Progress(s.Context(), id)
			return err != nil || progress.Verdict.Answered == (people-3)*each
		})
		got := map[string]int{}
		for _, o := range s.log() {
			if o.Kind == study.Answered {
				got[o.Respondent]++
			}
		}
		want := map[string]int{}
		for g := 3; g < people; g++ {
			want[fmt.Sprint("p", g)] = each
		}
		if !maps.Equal(got, want) {
			s.Errorf("there are answers of %v, want %v", got, want)
		}
		for _, p := range two {
			if said := p.reported(); said != nil {
				s.Errorf("reported: %q", said)
			}
		}
		s.Logf("%d answers were refused because their questions were lost", replaced)
		s.agreed()
	})
}

// answerOnce asks, waits for a moment, and answers.
func (s *stage) answerOnce(service *instance, who string, g int) (token string, err error) {
	began := time.Now()
	lease, err := service.Ask(s.Context(), id, who, "")
	if err != nil {
		return "", err
	}
	if waited := time.Since(began); waited > 2*time.Second {
		s.Errorf("%s waited %v for a question", who, waited)
	}
	time.Sleep(time.Duration(20+7*g) * time.Millisecond)
	return lease.Token, service.Answer(s.Context(), id, lease.Token, []int{g % 3})
}

// TestDesksAfterErasure: no process deals lost questions, also if another process has erased a
// respondent.
func TestDesksAfterErasure(t *testing.T) {
	s := begin(t, three())
	one, two := s.service("one"), s.service("two")
	planner := one.Planner(id)
	s.run(one, planner, 1, 5)
	s.ask(one, "x") // further claimed questions stay on the desks
	s.ask(two, "x")
	s.erase(one, "r1")
	s.pass(time.Second)
	afresh := s.study().Afresh
	for _, service := range []*instance{one, two, one, two} {
		s.answer(service, "y")
	}
	for _, o := range s.log() {
		if o.Respondent == "y" && o.Plan != afresh {
			t.Errorf("%+v belongs to a plan before %d", o, afresh)
		}
	}
}

// TestExportWhileErasing: an export that contains data of a respondent who is erased meanwhile
// returns an error.
func TestExportWhileErasing(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	planner := service.Planner(id)
	s.run(service, planner, 2, 5)
	for _, call := range []string{"Catalogue", "Log"} {
		store := &faulty{Store: s.store, before: once(call, func() error {
			s.erase(service, map[string]string{"Catalogue": "r1", "Log": "r2"}[call])
			return nil
		})}
		if err := replay.Export(t.Context(), store, id, &bytes.Buffer{}); !errors.Is(err, study.ErrChanged) {
			t.Errorf("%s: %v", call, err)
		}
		s.run(service, planner, 1, 5)
	}
	store := &faulty{Store: s.store, before: once("Log", func() error {
		s.erase(service, "r3")
		return nil
	})}
	if _, err := replay.Replay(t.Context(), store, id); !errors.Is(err, study.ErrChanged) {
		t.Errorf("replayed: %v", err)
	}
}

// TestCopyWhileErasing: a copy is the study before or after an erasure, and not a mixture.
func TestCopyWhileErasing(t *testing.T) {
	s, service := busy(t)
	store := &faulty{Store: s.store, before: once("Log", func() error {
		s.erase(service, "anna")
		return nil
	})}
	to := elsewhere(t)
	whole, err := owner.Copy(t.Context(), store, to, id)
	s.must(err)
	s.must(s.store.Close())
	s.store = to
	s.unknown("anna")
	s.agreed()
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
	s := begin(t, three())
	service := s.serviceOn(busyStore{s.store}, wiring.Options{Name: "one", Clock: s.clock})
	s.run(service, service.Planner(id), 1, 3)
	before := s.agreed()
	if _, err := service.Erase(t.Context(), id, "r1"); !errors.Is(err, study.ErrBusy) {
		t.Error(err)
	}
	if after := s.agreed(); after.Text() != before.Text() {
		t.Errorf("%+v became %+v", before, after)
	}
}
