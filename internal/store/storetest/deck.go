package storetest

import (
	"slices"
	"sync"
	"time"

	"bestpick/internal/study"
)

// claimAtOnce tests that two openers together claim every question once, each in order.
func claimAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const plans, each, dealers = 5, 40, 8
	for range plans {
		s.planned(stores[0], "a", each)
	}
	dealt := make([][]study.Position, dealers)
	var wait sync.WaitGroup
	for g := range dealers {
		wait.Go(func() { dealt[g] = s.deal(stores[g%2]) })
	}
	wait.Wait()
	for g, positions := range dealt {
		if !slices.IsSorted(positions) {
			s.Errorf("dealer %d has %v", g, positions)
		}
	}
	all := slices.Sorted(slices.Values(slices.Concat(dealt...)))
	for i, p := range all {
		if p != study.Position(i) {
			s.Fatalf("question %d was dealt in place of %d", p, i)
		}
	}
	if len(all) != plans*each {
		s.Errorf("%d questions were dealt, want %d", len(all), plans*each)
	}
}

// deal claims questions until there are none left.
func (s *stage) deal(store Store) (dealt []study.Position) {
	for {
		c, err := store.Claim(s.Context(), "a", 7, start)
		if err != nil {
			s.Error(err)
		}
		if len(c.Questions) == 0 {
			return dealt
		}
		for i, q := range c.Questions {
			p := c.First + study.Position(i)
			if !slices.Equal(q, question(p)) {
				s.Errorf("question %d is %v", p, q)
			}
			dealt = append(dealt, p)
		}
	}
}

func overdue(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	is := func(before time.Time, limit, wantUnclaimed int, want ...study.Position) {
		s.Helper()
		got, unclaimed, err := store.Overdue(ctx, "a", before, limit)
		s.must(err)
		if !slices.Equal(got, want) || unclaimed != wantUnclaimed {
			s.Errorf("got %v and %d unclaimed, want %v and %d", got, unclaimed, want, wantUnclaimed)
		}
	}
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	pulse := study.Pulse{ID: "a", Shard: 1, Version: 1}
	beats := func(change func(*study.Pulse)) {
		s.Helper()
		last := pulse
		change(&pulse)
		pulses, err := store.Active(ctx, allShards())
		s.must(err)
		if len(pulses) != 1 || !pulses[0].Same(pulse) || !pulses[0].Waiting.Equal(pulse.Waiting) || pulse.Same(last) {
			s.Errorf("pulses %+v after %+v, want %+v", pulses, last, pulse)
		}
	}
	is(at(99), 9, 0)
	s.planned(store, "a", 10)
	is(at(99), 9, 10)
	beats(func(p *study.Pulse) { p.Plans = 1 })
	for _, seconds := range []int{20, 10, 30} { // clocks of processes differ
		_, err := store.Claim(ctx, "a", 2, at(seconds))
		s.must(err)
	}
	is(at(10), 9, 4)
	is(at(11), 9, 4, 2, 3)
	is(at(99), 9, 4, 2, 3, 0, 1, 4, 5)
	is(at(99), 3, 4, 2, 3, 0)
	is(at(99), 0, 4)
	is(at(99), -1, 4)
	beats(func(p *study.Pulse) { p.Claimed, p.Waiting = 6, at(10) })

	s.recorded(store, "a", []error{nil, nil, nil}, answer(0), became(2, study.Skipped), became(5, study.Lost))
	is(at(99), 9, 4, 3, 1, 4)
	s.recorded(store, "a", []error{nil}, became(0, study.Undone))
	is(at(99), 9, 4, 3, 0, 1, 4)
	s.recorded(store, "a", []error{nil, nil}, answer(0), answer(7)) // answer 7 has not been claimed
	is(at(99), 9, 4, 3, 1, 4)
	c, err := store.Claim(ctx, "a", 9, at(40))
	s.must(err)
	if c.First != 6 || len(c.Questions) != 4 {
		s.Errorf("claimed %+v", c)
	}
	is(at(99), 9, 0, 3, 1, 4, 6, 8, 9)
	s.recorded(store, "a", []error{nil}, became(7, study.Undone))
	is(at(99), 9, 0, 3, 1, 4, 6, 7, 8, 9)
	beats(func(p *study.Pulse) { p.Claimed, p.Outcomes = 10, 7 })
	s.recorded(store, "a", []error{nil}, answer(3))
	beats(func(p *study.Pulse) { p.Outcomes, p.Waiting = 8, at(20) })
}
