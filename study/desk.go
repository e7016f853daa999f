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
	several = 4                // if so many on the desk do not do for a respondent, one of them has to
)

// A desk is where one process deals the questions of one study. Where many people come it claims
// more than one question from the deck at a time, so that most are served from memory.
type desk struct {
	mutex   sync.Mutex
	cards   []card
	recent  recent
	size    int             // of the last claim, wanted
	empty   bool            // there was nothing left to claim
	claimed time.Time       // when that was
	planned <-chan struct{} // closed when there was a plan since
}

// A card is a question of the deck.
type card struct {
	position Position
	question []int
	plan     int
	claimed  time.Time
}

// deal takes a question for a respondent: the first that does not show the arms that they were
// shown last, if there is one. last is what they were shown before their last outcome, wherever that
// was; what they were shown since is known here only.
func (d *desk) deal(ctx context.Context, s *Service, study Study, respondent string, last []int) (card, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	shown := []string{setOf(last), d.recent.shown(respondent)}
	if err := d.clear(ctx, s, study); err != nil {
		return card{}, err
	}
	at := d.other(shown)
	for more := true; more && at < 0 && len(d.cards) < several; at = d.other(shown) {
		var err error
		if more, err = d.claim(ctx, s, study); err != nil {
			return card{}, err
		}
	}
	if len(d.cards) == 0 {
		return card{}, ErrNone
	}
	at = max(at, 0) // there is nothing else to ask
	dealt := d.cards[at]
	d.cards = slices.Delete(d.cards, at, at+1)
	if respondent != "" {
		d.recent.note(respondent, setOf(dealt.question))
	}
	return dealt, nil
}

// claim puts more questions on the desk: one, or twice as many as the last time if that was just
// now. It reports whether there were any.
func (d *desk) claim(ctx context.Context, s *Service, study Study) (more bool, err error) {
	now := s.clock()
	if d.exhausted(now) {
		return false, nil
	}
	d.planned = s.news.wait(study.ID)
	size := 1
	if now.Sub(d.claimed) < quickly {
		size = max(1, min(2*d.size, most))
	}
	claim, err := s.store.Claim(ctx, study.ID, size, now)
	if err != nil {
		return false, err
	}
	s.work.ring(study.ID)
	d.size, d.empty, d.claimed = size, len(claim.Questions) == 0, now
	for i, q := range claim.Questions {
		d.cards = append(d.cards, card{claim.First + Position(i), q, claim.Plans[i], now})
	}
	return !d.empty, d.clear(ctx, s, study)
}

// exhausted reports whether there was no question in the deck just now, and nothing is known of a plan
// since: then the many who wait need not all look.
func (d *desk) exhausted(now time.Time) bool {
	if !d.empty || now.Sub(d.claimed) >= impatience/2 {
		return false
	}
	select {
	case <-d.planned:
		return false
	default:
		return true
	}
}

// clear takes questions off the desk that cannot be asked, because they are too old or show arms that
// were withdrawn, so that others are asked in their place.
func (d *desk) clear(ctx context.Context, s *Service, study Study) error {
	now := s.clock()
	var lost []Outcome
	d.cards = slices.DeleteFunc(d.cards, func(c card) bool {
		withdrawn := func(arm int) bool { return slices.Contains(study.Withdrawn, arm) }
		gone := now.Sub(c.claimed) > hold || slices.ContainsFunc(c.question, withdrawn)
		if gone {
			lost = append(lost, Outcome{Position: c.position, Kind: Lost, Plan: c.plan, At: now})
		}
		return gone
	})
	if lost == nil {
		return nil
	}
	_, err := s.store.Record(ctx, study.ID, lost...)
	return err
}

// other returns the first question that shows none of the given sets of arms, −1 where there is none.
func (d *desk) other(shown []string) int {
	return slices.IndexFunc(d.cards, func(c card) bool { return !slices.Contains(shown, setOf(c.question)) })
}

// setOf names the arms of a question, whatever their order.
func setOf(question []int) string { return fmt.Sprint(slices.Sorted(slices.Values(question))) }
