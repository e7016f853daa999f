package storetest

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	"bestpick/internal/study"
)

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
