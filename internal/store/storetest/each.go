package storetest

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
)

// limitTogether tests that of many answers that one respondent gives at once in two processes, one
// is written.
func limitTogether(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const answers = 100
	var written atomic.Int64
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			refused, err := stores[i%2].Record(s.Context(), "a", 1, by(anna, study.Position(i), study.Answered))
			switch {
			case err != nil:
				s.Error(err)
			case refused[0] == nil:
				written.Add(1)
			default:
				s.wants(study.ErrEnough, refused[0])
			}
		})
	}
	wait.Wait()
	if log := s.log(stores[0], "a"); written.Load() != 1 || len(log) != 1 {
		s.Errorf("%d answers were accepted, %d are in the log", written.Load(), len(log))
	}
}

// limitAtOnce tests the limit while a few respondents answer and undo at once in two processes: the
// log never has more standing questions per respondent, and exactly those that were accepted.
func limitAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const respondents, goroutines, tries, most = 4, 16, 25, 3
	var standing [respondents]atomic.Int64
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for i := range tries {
				who := random.IntN(respondents)
				o := by(strconv.Itoa(who), study.Position(g*tries+i), study.Answered)
				if !s.accepted(stores[g%2], most, o) {
					continue
				}
				standing[who].Add(1)
				if o.Kind = study.Undone; random.IntN(2) == 0 && s.accepted(stores[(g+1)%2], most, o) {
					standing[who].Add(-1)
				}
			}
		})
	}
	wait.Wait()
	done := map[string]int{}
	for _, o := range s.log(stores[0], "a") {
		if o.Kind == study.Undone {
			done[o.Respondent]--
		} else if done[o.Respondent]++; done[o.Respondent] > most {
			s.Fatalf("after outcome %d, %d questions of its respondent stand", o.Number, done[o.Respondent])
		}
	}
	for who := range respondents {
		if got, want := done[strconv.Itoa(who)], int(standing[who].Load()); got != want || want == 0 {
			s.Errorf("%d questions of respondent %d stand, %d were accepted", got, who, want)
		}
	}
}

// limitOfServices tests that a respondent who hoards questions of many processes, and then answers
// all of them at two at once, has one answer with each 1.
func limitOfServices(s *stage) {
	stores := []Store{s.store(), s.store()}
	of := sample("a")
	of.Settings.Each, of.Settings.Picks, of.Withdrawn = 1, 1, nil
	s.must(stores[0].Create(s.Context(), of, nil))
	const questions = 60
	s.planned(stores[0], "a", questions)
	service := func(store Store) *wiring.Service {
		service, err := wiring.New(s.Context(), store, wiring.Options{Clock: func() time.Time { return start }})
		s.must(err)
		return service
	}
	tokens := make([]string, questions)
	for i := range tokens {
		lease, err := service(stores[i%2]).Dispatch.Ask(s.Context(), "a", anna, "a")
		s.must(err)
		tokens[i] = lease.Token
	}
	services := []*wiring.Service{service(stores[0]), service(stores[1])}
	var accepted atomic.Int64
	var wait sync.WaitGroup
	for i, token := range tokens {
		wait.Go(func() {
			service := services[i/2%2]
			ticket, err := service.Dispatch.OpenTicket(s.Context(), "a", token)
			s.must(err)
			if err := service.Dispatch.Answer(s.Context(), ticket, []int{0}); err == nil {
				accepted.Add(1)
			} else {
				s.wants(study.ErrEnough, err)
			}
		})
	}
	wait.Wait()
	if log := s.log(stores[0], "a"); accepted.Load() != 1 || len(log) != 1 {
		s.Errorf("%d answers were accepted, %d are in the log", accepted.Load(), len(log))
	}
}

// accepted records an outcome with a limit, and reports whether the store accepts it.
func (s *stage) accepted(store Store, each int, o study.Outcome) bool {
	s.Helper()
	refused, err := store.Record(s.Context(), "a", each, o)
	if err != nil {
		s.Error(err)
		return false
	}
	if refused[0] != nil {
		s.wants(study.ErrEnough, refused[0])
	}
	return refused[0] == nil
}
