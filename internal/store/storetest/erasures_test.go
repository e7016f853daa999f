package storetest

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"bestpick/internal/study"
)

// erasedAt is the time of the erasures.
var erasedAt = start.Add(time.Minute)

// restart returns a plan of the study a that restarts the strategy, with the given number of questions, and
// counts all outcomes in the log. Stores ignore its number and position.
func (s *stage) restart(store Store, questions int) study.Plan {
	s.Helper()
	st, err := store.Study(s.Context(), "a")
	s.must(err)
	last := int64(len(s.log(store, "a")))
	p := study.Plan{
		Number: 99, First: 99, Version: st.Version, Restart: &study.Restart{Arms: 5, Seed: 1<<64 - 1}, Arms: 6, Withdrawn: []int{5},
		LastCounted: last, LastSeen: last, Verdict: []byte(`{"leader":3}`), At: erasedAt,
	}
	for i := range questions {
		p.Questions = append(p.Questions, question(study.Position(i)))
	}
	return p
}

// gone returns an erased outcome.
func gone(number int64, p study.Position) study.Outcome {
	return study.Outcome{Number: number, Position: p, Kind: study.Erased, At: erasedAt}
}

// eraseAtOnce tests concurrent respondents who answer and take back, a planner and two erasures. No
// data of erased respondents remains, all acknowledged outcomes of others do, and the plans follow
// one another.
func eraseAtOnce(s *stage) {
	ctx := s.Context()
	stores := []Store{s.withStudy(), s.store()}
	s.must(stores[0].AcquireLease(ctx, "a", planner, start, start.AddDate(1, 0, 0)))
	const people, each = 8, 12
	var acknowledged [people]int
	var working, others sync.WaitGroup
	answers := func(g int) {
		for i := range each {
			acknowledged[g] += s.answered(stores[g%2], strconv.Itoa(g), study.Position(g*each+i))
		}
	}
	finished := make(chan struct{})
	others.Go(func() { s.planUntil(stores[0], finished) })
	others.Go(func() { s.follow(stores[1], "a", finished) })
	for g := range people / 2 {
		answers(g)
	}
	for g := range 2 {
		working.Go(func() { s.eraseAll(stores[g], strconv.Itoa(g), strconv.Itoa(g+2)) })
	}
	for g := people / 2; g < people; g++ {
		working.Go(func() { answers(g) })
	}
	working.Wait()
	close(finished)
	others.Wait()

	var left [people]int
	log := s.log(stores[0], "a")
	s.numbered(log)
	for _, o := range log {
		if who, err := strconv.Atoi(o.Respondent); err == nil {
			left[who]++
		}
	}
	for g := range people {
		if want := acknowledged[g] * min(g/4, 1); left[g] != want {
			s.Errorf("of respondent %d there are %d outcomes, want %d", g, left[g], want)
		}
	}
	plans, err := stores[1].Plans(ctx, "a", 0, 1<<30)
	s.must(err)
	st, err := stores[1].Study(ctx, "a")
	s.must(err)
	for i, p := range plans {
		if (p.Restart != nil) != (i == 0) || p.Number != st.RestartPlan+i || i > 0 &&
			int(p.First) != int(plans[i-1].First)+len(plans[i-1].Questions) {
			s.Errorf("plan %d of those from %d on is %+v", i+1, st.RestartPlan, p)
		}
	}
	if len(plans) == 0 || st.Version != 5 {
		s.Errorf("there are %d plans and version %d", len(plans), st.Version)
	}
}

// answered lets a respondent answer, and take every third answer back. It returns the number of
// outcomes.
func (s *stage) answered(store Store, who string, p study.Position) (outcomes int) {
	kinds := []study.Kind{study.Answered}
	if p%3 == 0 {
		kinds = append(kinds, study.Undone)
	}
	for _, kind := range kinds {
		refused, err := store.Record(s.Context(), "a", study.NoLimit, by(who, p, kind))
		if err != nil {
			s.Error(err)
			return outcomes
		}
		if refused[0] == nil {
			outcomes++
		}
	}
	return outcomes
}

// planUntil plans and claims questions until finished is closed.
func (s *stage) planUntil(store Store, finished <-chan struct{}) {
	for {
		err := store.Append(s.Context(), "a", planner, s.next(store, 2))
		if err != nil && !errors.Is(err, study.ErrChanged) && !errors.Is(err, study.ErrNotYours) {
			s.Error(err)
		}
		if _, err := store.Claim(s.Context(), "a", 1, start); err != nil {
			s.Error(err)
		}
		select {
		case <-finished:
			return
		case <-time.After(time.Millisecond): // lets other writers proceed
		}
	}
}

// eraseAll erases respondents one after the other, with retries.
func (s *stage) eraseAll(store Store, people ...string) {
	for _, who := range people {
		for {
			_, err := store.Erase(s.Context(), "a", who, s.restart(store, 3))
			if err == nil {
				break
			}
			if !errors.Is(err, study.ErrChanged) {
				s.Error(err)
				return
			}
		}
	}
}
