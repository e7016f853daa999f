package storetest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

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
	s.lead(stores[0], start.AddDate(1, 0, 0))
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
		var refused []error
		if err := whileBusy(func() (err error) {
			refused, err = store.Record(s.Context(), "a", study.Terms{}, by(who, p, kind))
			return err
		}); err != nil {
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
		if err != nil && !errors.Is(err, study.ErrChanged) && !errors.Is(err, study.ErrNotYours) && !errors.Is(err, study.ErrBusy) {
			s.Error(err)
		}
		if _, err := store.Claim(s.Context(), "a", 1, start); err != nil && !errors.Is(err, study.ErrBusy) {
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
			if !errors.Is(err, study.ErrChanged) && !errors.Is(err, study.ErrBusy) {
				s.Error(err)
				return
			}
		}
	}
}

// removeNames tests that names and notes of recorded and imported outcomes, profiles, places and members are removed,
// once the study is done. An interrupted removal leaves every outcome as it was or sealed, and two processes continue it.
func removeNames(s *stage) {
	stores := []Store{s.store(), s.store()}
	store, st := stores[0], profiled("a")
	st.Salt = "salt"
	s.must(store.Create(s.Context(), st, nil))
	st, err := store.ChangePanel(s.Context(), st, 1, study.PanelChange{Put: []study.Member{{Name: anna, Key: "key", Added: start}}})
	s.must(err)
	s.must(store.Admit(s.Context(), "a", anna, map[string]string{age: elderly}))
	s.must(store.Agree(s.Context(), "a", anna, "I agree.", start))
	s.must(store.Hold(s.Context(), "a", anna, start, study.Kept))
	for p := range study.Position(20) {
		refused, err := store.Record(s.Context(), "a", study.Terms{}, answer(p))
		s.must(errors.Join(append(refused, err)...))
	}
	s.must(store.Import(s.Context(), "a", "survey", func(yield func(study.Outcome, error) bool) {
		for i := range 1200 {
			if !yield(imported(i), nil) {
				return
			}
		}
	}))
	before := s.log(store, "a")
	s.wants(study.ErrChanged, store.RemoveNames(s.Context(), "a", erasedAt))
	st.State, st.Reason = study.Done, study.Stopped
	st, err = store.Change(s.Context(), st, st.Version, nil)
	s.must(err)

	ctx, interrupt := context.WithCancel(s.Context())
	s.together(2, nil, func(c int) error {
		if c == 0 {
			if err := store.RemoveNames(ctx, "a", erasedAt); err != nil && ctx.Err() == nil {
				return err
			}
			return nil
		}
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if now, err := stores[1].Study(ctx, "a"); err != nil || !now.Unnamed.IsZero() {
				interrupt()
				return err
			}
		}
		return errors.New("no removal begins within a minute")
	})
	for i, o := range s.log(store, "a") {
		if !cmp.Equal(o, before[i]) && !cmp.Equal(o, before[i].Sealed("salt")) {
			s.Fatalf("outcome %d became %+v", o.Number, o)
		}
	}
	s.together(2, nil, func(c int) error { return stores[c].RemoveNames(s.Context(), "a", erasedAt.Add(time.Hour)) })
	for i, o := range s.log(store, "a") {
		if diff := cmp.Diff(before[i].Sealed("salt"), o); diff != "" || !o.Note.IsZero() && o.Note.Rationale != "" {
			s.Fatal(diff)
		}
	}
	now, err := store.Study(s.Context(), "a")
	s.must(err)
	if !now.Unnamed.Equal(erasedAt) || now.Salt != "" || now.Version != st.Version+2 {
		s.Errorf("the study became %+v", now)
	}
	members, err := store.Members(s.Context(), "a", 0, 10)
	s.must(err)
	profiles, err := store.Profiles(s.Context(), "a", "", 10)
	s.must(err)
	groups, err := store.Groups(s.Context(), "a", start)
	s.must(err)
	if len(members)+len(profiles)+len(groups) > 0 {
		s.Errorf("%v, %v and %v are left", members, profiles, groups)
	}
	history, err := store.Respondent(s.Context(), "a", before[3].Sealed("salt").Respondent)
	if s.must(err); history.Questions != 1 {
		s.Errorf("the pseudonym has %+v", history)
	}
}
