package study

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	handful = 32               // questions claimed at a time
	hold    = 20 * time.Second // how long a claimed question may wait to be asked
)

// A desk is where one process deals the questions of one study. It claims a handful from the deck
// at a time, so that most respondents are served from memory.
type desk struct {
	mutex   sync.Mutex
	claimed time.Time // the oldest of those on the desk
	cards   []card
	last    map[string]string // the arms that a respondent was shown last
}

// A card is a question of the deck.
type card struct {
	position Position
	question []int
}

// deal takes a question for a respondent: the first that does not show the arms that they were
// shown last, if there is one.
func (d *desk) deal(ctx context.Context, s *Service, id, respondent string) (Position, []int, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	now := s.clock()
	if now.Sub(d.claimed) > hold {
		d.cards = nil // too old to be asked: the planner will count them as lost
	}
	at := d.other(d.last[respondent])
	if at < 0 && len(d.cards) < handful {
		claim, err := s.store.Claim(ctx, id, handful, now)
		if err != nil {
			return 0, nil, err
		}
		s.happened(id)
		d.take(claim)
		at = d.other(d.last[respondent])
	}
	if len(d.cards) == 0 {
		return 0, nil, ErrNone
	}
	at = max(at, 0) // there is nothing else to ask
	dealt := d.cards[at]
	d.cards = slices.Delete(d.cards, at, at+1)
	d.last[respondent] = setOf(dealt.question)
	return dealt.position, dealt.question, nil
}

// take puts claimed questions on the desk.
func (d *desk) take(c Claim) {
	if len(d.cards) == 0 {
		d.claimed = c.At
	}
	for i, q := range c.Questions {
		d.cards = append(d.cards, card{c.First + Position(i), q})
	}
}

// other returns the first question that does not show the given arms, −1 where there is none.
func (d *desk) other(arms string) int {
	return slices.IndexFunc(d.cards, func(c card) bool { return setOf(c.question) != arms })
}

// setOf names the arms of a question, whatever their order.
func setOf(question []int) string { return fmt.Sprint(slices.Sorted(slices.Values(question))) }
