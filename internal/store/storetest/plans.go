package storetest

import (
	"fmt"
	"slices"
	"sync"

	"bestpick/internal/study"
	"bestpick/strategy"
)

// verdictOf returns a complete verdict.
func verdictOf(number int) []byte {
	return study.Verdict{
		Status: strategy.Asking.String(), Leader: number,
		Contenders: []strategy.Standing{{Arm: 1, Evidence: 0.25}, {Arm: 3, Evidence: 1.5}},
		Answered:   2 * number, Settings: "terms", Digest: fmt.Sprint("digest ", number),
	}.Written()
}

// claimAtOnce tests that two openers together claim every question once, each in order.
func claimAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const plans, each, dealers = 5, 40, 8
	for range plans {
		s.planned(stores[0], each)
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
