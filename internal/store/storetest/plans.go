package storetest

import (
	"errors"
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

// dealAtOnce tests that two openers together deal hands, claim and answer: no question is dealt twice, a name has one
// hand, and the numbers of the log have no gaps.
func dealAtOnce(s *stage) { //nolint:gocognit // one scenario, step by step
	stores := []Store{s.withStudy(), s.store()}
	const people, dealers = 40, 4
	s.planned(stores[0], 1000)
	var wait sync.WaitGroup
	claims := make([][]study.Position, dealers)
	for g := range dealers {
		store := stores[g%2]
		wait.Go(func() {
			for i := range people {
				name := fmt.Sprint("person ", (i+g*people/2)%(people*dealers/2)) // two dealers meet everyone
				arrival, err := store.Deal(s.Context(), "a", handSize, nil, study.Outcome{Respondent: name, At: start})
				if err != nil {
					s.Error(err)
					return
				}
				claim, err := store.Claim(s.Context(), "a", 1, start)
				if err != nil {
					s.Error(err)
					return
				}
				claims[g] = append(claims[g], claim.First)
				own := answer(arrival.Hand.First + study.Position(g/2))
				own.Respondent = name
				if err := s.record(store, study.NoLimit, own, answer(claim.First)); err != nil && !errors.Is(err, study.ErrTaken) {
					s.Error(err)
				}
			}
		})
	}
	wait.Wait()
	log := s.log(stores[1], "a")
	s.numbered(log)
	dealt, names := slices.Concat(claims...), map[string]bool{}
	for _, o := range log {
		if o.Kind != study.Arrived {
			continue
		}
		if names[o.Respondent] {
			s.Errorf("%s has two hands", o.Respondent)
		}
		names[o.Respondent] = true
		for i, card := range o.Hand.Cards {
			p := o.Hand.First + study.Position(i)
			if dealt = append(dealt, p); !slices.Equal(card, question(p)) {
				s.Errorf("question %d of a hand is %v", p, card)
			}
		}
	}
	slices.Sort(dealt)
	for i, p := range dealt {
		if p != study.Position(i) {
			s.Fatalf("question %d was dealt in place of %d", p, i)
		}
	}
	if len(names) != people*dealers/2 {
		s.Errorf("%d people have a hand", len(names))
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
