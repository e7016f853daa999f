package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// What respondents may hear.
var (
	ErrNotOpen  = errors.New("study: it is not open")
	ErrNone     = errors.New("study: there is no question at the moment")
	ErrEnough   = errors.New("study: this respondent has answered enough")
	ErrConflict = errors.New("study: the question was answered in another way")
	ErrReplaced = errors.New("study: the time to answer is over, and the question is somebody else's")
	ErrTooLate  = errors.New("study: the answer counts already and cannot be taken back")
)

// A PicksError says what is wrong with an answer.
type PicksError struct{ Problem string }

func (e *PicksError) Error() string { return "study: " + e.Problem }

// A Lease is a question that is somebody's to answer.
type Lease struct {
	Token   string
	Shown   []int // arms, in the order on the screen
	Picks   int   // how many to pick, best first
	Expires time.Time
}

const (
	handful = 32               // questions claimed at a time
	hold    = 20 * time.Second // how long a claimed question may wait to be asked
)

// A hand is questions that this process may deal.
type hand struct {
	claimed time.Time
	left    []card
}

type card struct {
	position Position
	question []int
}

// Ask deals the next question to a respondent. No two respondents are asked the same question of
// the deck, and nobody is shown the same arms twice in a row if there is another question. The
// order on the screen is the strategy's, which is random and goes to the log with the answer.
func (s *Service) Ask(ctx context.Context, id, respondent, segment string) (Lease, error) {
	study, err := s.store.Study(ctx, id)
	if err != nil {
		return Lease{}, err
	}
	if study.State != Open {
		return Lease{}, ErrNotOpen
	}
	position, shown, err := s.deal(ctx, id, respondent)
	if err != nil {
		return Lease{}, err
	}
	now := s.clock()
	t := ticket{Study: id, Position: position, Shown: shown, Respondent: respondent, Segment: segment, Asked: now}
	return Lease{t.sign(s.secret), shown, min(study.Settings.Picks, len(shown)-1), now.Add(study.Settings.Lease)}, nil
}

// deal takes a question from the hand of a study, which is filled up from the deck.
func (s *Service) deal(ctx context.Context, id, respondent string) (Position, []int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	who := id + "/" + respondent
	for range 2 {
		h := s.hands[id]
		if h == nil {
			h = &hand{}
			s.hands[id] = h
		}
		if s.clock().Sub(h.claimed) > hold {
			h.left = nil // too old to be asked: the planner will count it as lost
		}
		if at := h.choose(s.last[who]); at >= 0 {
			card := h.left[at]
			h.left = slices.Delete(h.left, at, at+1)
			s.last[who] = setOf(card.question)
			return card.position, card.question, nil
		}
		claim, err := s.store.Claim(ctx, id, handful, s.clock())
		if err != nil {
			return 0, nil, err
		}
		s.happened(id)
		h.take(claim)
	}
	return 0, nil, ErrNone
}

// take adds claimed questions to a hand.
func (h *hand) take(c Claim) {
	if len(h.left) == 0 {
		h.claimed = c.At
	}
	for i, q := range c.Questions {
		h.left = append(h.left, card{c.First + Position(i), q})
	}
}

// choose returns which question to deal: the first that does not show the given arms, or else the
// first, −1 where there is none.
func (h *hand) choose(not string) int {
	for at, c := range h.left {
		if setOf(c.question) != not {
			return at
		}
	}
	return min(len(h.left), 1) - 1
}

// setOf names the arms of a question, whatever their order.
func setOf(question []int) string { return fmt.Sprint(slices.Sorted(slices.Values(question))) }
