package storetest

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
)

// limitTogether tests that of many answers that one respondent gives at once in two processes, one
// is written.
func limitTogether(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	written := s.together(100, study.ErrEnough, func(g int) error {
		return s.record(stores[g%2], 1, by(anna, study.Position(g), study.Answered))
	})
	if log := s.log(stores[0], "a"); written != 1 || len(log) != 1 {
		s.Errorf("%d answers were accepted, %d are in the log", written, len(log))
	}
}

// limitAtOnce tests the limit while a few respondents answer and undo at once in two processes: the
// log never has more standing questions per respondent, and exactly those that were accepted.
func limitAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const respondents, goroutines, tries, limit = 4, 16, 25, 3
	var standing [respondents]atomic.Int64
	s.together(goroutines, nil, func(g int) error {
		random := rand.New(rand.NewPCG(uint64(g), 1))
		for i := range tries {
			who := random.IntN(respondents)
			o := by(strconv.Itoa(who), study.Position(g*tries+i), study.Answered)
			err := s.record(stores[g%2], limit, o)
			if err == nil {
				standing[who].Add(1)
				if o.Kind = study.Undone; random.IntN(2) == 0 {
					err = s.record(stores[(g+1)%2], limit, o)
					standing[who].Add(-1)
				}
			}
			if err != nil && (o.Kind == study.Undone || !errors.Is(err, study.ErrEnough)) {
				return err
			}
		}
		return nil
	})
	done := map[string]int{}
	for _, o := range s.log(stores[0], "a") {
		if o.Kind == study.Undone {
			done[o.Respondent]--
		} else if done[o.Respondent]++; done[o.Respondent] > limit {
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
	of.Settings.PerRespondent, of.Settings.Picks, of.Withdrawn = 1, 1, nil
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
	accepted := s.together(questions, study.ErrEnough, func(g int) error {
		service := services[g/2%2]
		ticket, err := service.Dispatch.OpenTicket(s.Context(), "a", tokens[g])
		if err != nil {
			return err
		}
		return service.Dispatch.Answer(s.Context(), ticket, []int{0})
	})
	if log := s.log(stores[0], "a"); accepted != 1 || len(log) != 1 {
		s.Errorf("%d answers were accepted, %d are in the log", accepted, len(log))
	}
}
