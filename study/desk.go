package study

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	hold    = 20 * time.Second // how long a claimed question may wait to be asked
	most    = 64               // questions claimed at a time, at most
	quickly = time.Second      // who claims again within so long claims more
)

// A desk is where one process deals the questions of one study. Where many people come it claims
// more than one question from the deck at a time, so that most are served from memory.
type desk struct {
	mutex   sync.Mutex
	cards   []card
	recent  recent
	size    int       // of the last claim
	claimed time.Time // when that was
}

// A card is a question of the deck.
type card struct {
	position Position
	question []int
	plan     int
	claimed  time.Time
}

// deal takes a question for a respondent: the first that does not show the arms that they were
// shown last, if there is one.
func (d *desk) deal(ctx context.Context, s *Service, study Study, respondent, last string) (card, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if shown, known := d.recent.shown(respondent); known {
		last = shown
	}
	if err := d.clear(ctx, s, study); err != nil {
		return card{}, err
	}
	at := d.other(last)
	if at < 0 && len(d.cards) < most {
		if err := d.claim(ctx, s, study); err != nil {
			return card{}, err
		}
		at = d.other(last)
	}
	if len(d.cards) == 0 {
		return card{}, ErrNone
	}
	at = max(at, 0) // there is nothing else to ask
	dealt := d.cards[at]
	d.cards = slices.Delete(d.cards, at, at+1)
	d.recent.note(respondent, setOf(dealt.question))
	return dealt, nil
}

// remembers reports whether it is known what a respondent was shown last.
func (d *desk) remembers(respondent string) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	_, known := d.recent.shown(respondent)
	return known
}

// claim puts more questions on the desk: one, or twice as many as the last time if that was just
// now.
func (d *desk) claim(ctx context.Context, s *Service, study Study) error {
	now := s.clock()
	size := 1
	if now.Sub(d.claimed) < quickly {
		size = min(2*d.size, most)
	}
	claim, err := s.store.Claim(ctx, study.ID, max(size, 1), now)
	if err != nil {
		return err
	}
	s.work.ring(study.ID)
	d.size, d.claimed = len(claim.Questions), now
	for i, q := range claim.Questions {
		d.cards = append(d.cards, card{claim.First + Position(i), q, claim.Plans[i], now})
	}
	return d.clear(ctx, s, study)
}

// clear takes questions off the desk that cannot be asked: those that are too old, which the planner
// gives up in a moment, and those that show arms that were withdrawn.
func (d *desk) clear(ctx context.Context, s *Service, study Study) error {
	now := s.clock()
	var withdrawn []Outcome
	d.cards = slices.DeleteFunc(d.cards, func(c card) bool {
		if now.Sub(c.claimed) > hold {
			return true
		}
		gone := slices.ContainsFunc(c.question, func(arm int) bool { return slices.Contains(study.Withdrawn, arm) })
		if gone {
			withdrawn = append(withdrawn, Outcome{Position: c.position, Kind: Lost, Plan: c.plan, At: now})
		}
		return gone
	})
	if withdrawn == nil {
		return nil
	}
	_, err := s.store.Record(ctx, study.ID, withdrawn...)
	return err
}

// other returns the first question that does not show the given arms, −1 where there is none.
func (d *desk) other(arms string) int {
	return slices.IndexFunc(d.cards, func(c card) bool { return setOf(c.question) != arms })
}

// setOf names the arms of a question, whatever their order.
func setOf(question []int) string { return fmt.Sprint(slices.Sorted(slices.Values(question))) }
