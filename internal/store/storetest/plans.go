package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/strategy"
)

// lead tests leases at given times, which are long past by the clock.
func lead(s *stage) {
	store := s.withStudy()
	const one, two = "one", "two"
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	led := 0 // end of the current lease
	for i, step := range []struct {
		planner    string
		now, until int
		want       error
	}{
		{one, 0, 10, nil},
		{two, 1, 11, study.ErrNotYours},
		{one, 5, 15, nil}, // renews
		{two, 10, 20, study.ErrNotYours},
		{two, 14, 20, study.ErrNotYours},
		{two, 15, 20, nil}, // the first lease has expired
		{one, 16, 30, study.ErrNotYours},
		{two, 17, 17, nil}, // resigns
		{one, 17, 30, nil},
		{one, 40, 50, nil}, // no other planner came in between
	} {
		err := store.Lead(s.Context(), "a", step.planner, at(step.now), at(step.until))
		if !s.same(step.want, err) {
			s.Errorf("step %d: got %v, want %v", i, err, step.want)
		}
		if told, ok := errors.AsType[*study.LedError](err); ok != (step.want != nil) || ok && !told.Until.Equal(at(led)) {
			s.Errorf("step %d: got %#v, the lease is held until %v", i, err, at(led))
		}
		if err == nil {
			led = step.until
		}
	}
	s.must(store.Create(s.Context(), sample("b"), nil))
	s.must(store.Lead(s.Context(), "b", two, at(41), at(50)))
}

func leadAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	for round := range 10 {
		now := start.Add(time.Duration(round) * time.Minute)
		var leaders atomic.Int32
		var planners sync.WaitGroup
		for g := range 8 {
			planners.Go(func() {
				err := stores[g%2].Lead(s.Context(), "a", strconv.Itoa(g), now, now.Add(time.Minute))
				if err == nil {
					leaders.Add(1)
				} else {
					s.wants(study.ErrNotYours, err)
				}
			})
		}
		planners.Wait()
		if leaders.Load() != 1 {
			s.Errorf("round %d has %d leaders", round, leaders.Load())
		}
	}
}

func appendPlans(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	_, err := store.Last(ctx, "a")
	s.wants(study.ErrNotFound, err)
	plans, err := store.Plans(ctx, "a", 0, 9)
	s.must(err)
	if len(plans) > 0 {
		s.Errorf("there are %v", plans)
	}

	s.must(store.Lead(ctx, "a", planner, start, start.Add(time.Hour)))
	var want []study.Plan
	for i := range 5 {
		p := s.next(store, "a", i%3) // some without questions
		p.At = start.Add(time.Duration(i) * time.Second)
		if i%2 > 0 {
			p.Arms, p.Withdrawn = 6+i, []int{5, i}
		}
		p.Verdict = fmt.Appendf(nil, `{ "plan":  %d, "prompt": "\u0000 “”" }`, i)
		s.must(store.Append(ctx, "a", planner, p))
		want = append(want, p)
		last, err := store.Last(ctx, "a")
		s.must(err)
		if diff := cmp.Diff(p, last); diff != "" {
			s.Error(diff)
		}
		s.recorded(store, "a", []error{nil}, answer(study.Position(i)))
	}
	for _, test := range []struct{ after, limit, from, to int }{
		{0, 99, 0, 5}, {0, 2, 0, 2}, {2, 2, 2, 4}, {4, 2, 4, 5}, {5, 2, 5, 5}, {0, 0, 0, 0}, {0, -1, 0, 0}, {-3, 1, 0, 1},
	} {
		got, err := store.Plans(ctx, "a", test.after, test.limit)
		s.must(err)
		if diff := cmp.Diff(slices.Clone(want[test.from:test.to]), got, sameWhenEmpty()); diff != "" {
			s.Errorf("%d after %d: %s", test.limit, test.after, diff)
		}
	}
	st, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(sample("a"), st); diff != "" {
		s.Errorf("a plan that does not end the study changed it: %s", diff)
	}
}

// appendNothingBad tests that a rejected plan leaves nothing behind.
// verdictOf returns a complete verdict.
func verdictOf(number int) []byte {
	return study.Verdict{
		Status: strategy.Asking.String(), Leader: number, Contenders: []strategy.Standing{{Arm: 1, Evidence: 0.25}, {Arm: 3, Evidence: 1.5}},
		Answered: 2 * number, Settings: "terms", Digest: fmt.Sprint("digest ", number),
	}.Written()
}

// appendPruned tests that verdicts are pruned, except for that of the last plan and of plans that end the study.
func appendPruned(s *stage) {
	ctx, store := s.Context(), s.withStudy()
	s.must(store.Lead(ctx, "a", planner, start, start.Add(time.Hour)))
	var want []study.Plan
	for i := range 4 {
		p := s.next(store, "a", 1)
		p.Verdict = verdictOf(p.Number)
		if i == 1 {
			p.Done, p.Version = study.Spent, 1
		}
		s.must(store.Append(ctx, "a", planner, p))
		want, p.Version = append(want, p.Prune()), 0
		want[i].Version = 0
		if want[i].IsPruned() == (i == 1) {
			s.Errorf("plan %d: %s", p.Number, want[i].Verdict)
		}
		plans, err := store.Plans(ctx, "a", 0, 9)
		s.must(err)
		if diff := cmp.Diff(append(slices.Clone(want[:i]), p), plans); diff != "" {
			s.Error(diff)
		}
		last, err := store.Last(ctx, "a")
		s.must(err)
		if diff := cmp.Diff(p, last); diff != "" {
			s.Error(diff)
		}
	}
}

func appendNothingBad(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.wants(study.ErrNotYours, store.Append(ctx, "a", planner, s.next(store, "a", 2)))
	s.recorded(store, "a", []error{nil, nil}, answer(0), answer(1))
	s.planned(store, "a", 2)
	good := s.next(store, "a", 2)
	for name, test := range map[string]struct {
		planner string
		spoil   func(*study.Plan)
		want    error
	}{
		"another planner":      {"other", func(*study.Plan) {}, study.ErrNotYours},
		"nobody":               {"", func(*study.Plan) {}, study.ErrNotYours},
		"too late":             {planner, func(p *study.Plan) { p.At = start.Add(time.Hour) }, study.ErrNotYours},
		"the number before":    {planner, func(p *study.Plan) { p.Number-- }, study.ErrNotYours},
		"a number left out":    {planner, func(p *study.Plan) { p.Number++ }, study.ErrNotYours},
		"told again":           {planner, func(p *study.Plan) { p.Upto = 1 }, nil},
		"told before it is in": {planner, func(p *study.Plan) { p.Upto, p.Known = 3, 3 }, nil},
		"known before it is":   {planner, func(p *study.Plan) { p.Known = 3 }, nil},
		"told, not known":      {planner, func(p *study.Plan) { p.Known = 1 }, nil},
		"a position twice":     {planner, func(p *study.Plan) { p.First-- }, nil},
		"a position left out":  {planner, func(p *study.Plan) { p.First++ }, nil},
	} {
		bad := good
		bad.Done, bad.Version = study.Certified, 1
		test.spoil(&bad)
		err := store.Append(ctx, "a", test.planner, bad)
		if err == nil || test.want != nil && !s.same(test.want, err) {
			s.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	plans, err := store.Plans(ctx, "a", 0, 99)
	s.must(err)
	_, unclaimed, err := store.Overdue(ctx, "a", start, 9)
	s.must(err)
	st, err := store.Study(ctx, "a")
	s.must(err)
	if len(plans) != 1 || unclaimed != 2 || st.State != study.Open {
		s.Errorf("%d plans, %d questions, the study is %s", len(plans), unclaimed, st.State)
	}
	s.must(store.Append(ctx, "a", planner, good))
}

// appendAtOnce tests that of many concurrent plans with one number, one is written.
func appendAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	s.must(stores[0].Lead(s.Context(), "a", planner, start, start.Add(time.Hour)))
	for round := range 5 {
		plan := s.next(stores[0], "a", 3)
		var written atomic.Int32
		var planners sync.WaitGroup
		for g := range 8 {
			planners.Go(func() {
				err := stores[g%2].Append(s.Context(), "a", planner, plan)
				if err == nil {
					written.Add(1)
				} else {
					s.wants(study.ErrNotYours, err)
				}
			})
		}
		planners.Wait()
		if written.Load() != 1 {
			s.Errorf("plan %d was written %d times", round+1, written.Load())
		}
	}
	_, unclaimed, err := stores[1].Overdue(s.Context(), "a", start, 9)
	s.must(err)
	if unclaimed != 15 {
		s.Errorf("there are %d questions, want 15", unclaimed)
	}
}

// ending tests that a study ends atomically with its plan, so that an owner who has seen it open
// cannot change it back by accident.
func ending(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.must(store.Lead(ctx, "a", planner, start, start.Add(time.Hour)))
	plan := s.next(store, "a", 0)
	plan.Done, plan.At, plan.Version = study.Certified, start.Add(time.Minute), 1
	s.must(store.Append(ctx, "a", planner, plan))
	want := sample("a")
	want.State, want.Reason, want.Changed, want.Version = study.Done, study.Certified, plan.At, 2
	got, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Error(diff)
	}
	_, err = store.Change(ctx, sample("a"), 1, nil)
	s.wants(study.ErrChanged, err)

	plan = s.next(store, "a", 0)
	plan.Done = study.Spent
	s.must(store.Append(ctx, "a", planner, plan))
	got, err = store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("a study was ended twice: %s", diff)
	}
	last, err := store.Last(ctx, "a")
	s.must(err)
	if last.Done != study.Spent {
		s.Errorf("the last plan is %+v", last)
	}
}

// changedDuringPlan tests that a planner that ends a study must have seen its current version.
// Other plans do not depend on the owner's changes.
func changedDuringPlan(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.must(store.Lead(ctx, "a", planner, start, start.Add(time.Hour)))
	_, err := store.Change(ctx, sample("a"), 1, nil)
	s.must(err)
	plan := s.next(store, "a", 1)
	plan.Version, plan.Done = 1, study.Certified
	s.wants(study.ErrChanged, store.Append(ctx, "a", planner, plan))
	_, err = store.Last(ctx, "a")
	s.wants(study.ErrNotFound, err)
	plan.Done = ""
	s.must(store.Append(ctx, "a", planner, plan))
	plan = s.next(store, "a", 1)
	plan.Version, plan.Done = 2, study.Certified
	s.must(store.Append(ctx, "a", planner, plan))
	st, err := store.Study(ctx, "a")
	s.must(err)
	if st.State != study.Done || st.Version != 3 {
		s.Errorf("it is %s, version %d", st.State, st.Version)
	}
}

func snapshots(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	_, _, err := store.Snapshot(ctx, "a")
	s.wants(study.ErrNotFound, err)
	for range 3 {
		s.planned(store, "a", 1)
	}
	if err := store.SaveSnapshot(ctx, "a", 4, []byte("four")); err == nil {
		s.Error("a snapshot was kept of a plan that is not there")
	}
	const binary = "three\x00\xff"
	for _, step := range []struct {
		plan      int
		state     string
		kept      int
		keptState string
	}{
		{1, "one", 1, "one"},
		{3, binary, 3, binary},
		{2, "two", 3, binary},
		{3, "three again", 3, "three again"},
	} {
		s.must(store.SaveSnapshot(ctx, "a", step.plan, []byte(step.state)))
		plan, state, err := store.Snapshot(ctx, "a")
		s.must(err)
		if plan != step.kept || string(state) != step.keptState {
			s.Errorf("after %d, %q: kept %d, %q", step.plan, step.state, plan, state)
		}
	}
}
