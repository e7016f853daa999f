package strategy

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"bestpick/choice"
)

// Hands deals the questions of a strategy to people, and knows who has which. A strategy that is about people
// places its bets when they are dealt. The fields are exported for snapshots only. Not safe for concurrent use.
type Hands struct {
	Arrived int    `json:"arrived"`
	Open    []Card `json:"open,omitempty"` // in the order in which they were dealt
}

// A Card is a question that a person has not answered yet.
type Card struct {
	Person   string          `json:"person"`
	Segment  string          `json:"segment,omitempty"`
	Question choice.Question `json:"question"`
}

// reserved begins the names of people who are asked a single question. No other name contains it.
const reserved = "\x00"

// Alone reports whether the person of a card is asked nothing else.
func (c Card) Alone() bool { return strings.HasPrefix(c.Person, reserved) }

// Ask deals one question to a person who arrives now and is asked nothing else. It returns [ErrStopped] after the decision.
func (h *Hands) Ask(s Strategy, segment string) (Card, error) {
	cards, err := h.deal(s, fmt.Sprint(reserved, h.Arrived+1), segment, 1)
	if err != nil {
		return Card{}, err
	}
	return cards[0], nil
}

// Deal deals a person who arrives now the questions of their session, in random order: n, or fewer if the
// strategy stops. Where the strategy is about people, everyone has one hand, ever.
func (h *Hands) Deal(s Strategy, person, segment string, n int) ([]Card, error) {
	switch {
	case person == "" || strings.Contains(person, reserved):
		return nil, fmt.Errorf("the name of a person must not be empty or contain a NUL, got %q", person)
	case n < 1:
		return nil, fmt.Errorf("a person must be dealt at least 1 question, got %d", n)
	}
	if dealer, ok := s.(Dealer); ok && (h.has(person) || dealer.Ended(person)) {
		return nil, fmt.Errorf("%s has been dealt questions before", person)
	}
	return h.deal(s, person, segment, n)
}

func (h *Hands) deal(s Strategy, person, segment string, n int) ([]Card, error) {
	if dealer, ok := s.(Dealer); ok {
		dealer.Begin(n)
	}
	var questions []choice.Question
	for range n {
		q, err := s.Ask()
		if errors.Is(err, ErrStopped) && len(questions) > 0 {
			break
		}
		if err != nil {
			return nil, errors.Join(append(giveUp(s, questions), err)...)
		}
		questions = append(questions, q)
	}
	rng := rand.New(rand.NewPCG(uint64(h.Arrived), 0))
	rng.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	if dealer, ok := s.(Dealer); ok {
		if err := dealer.Deal(person, segment, questions); err != nil {
			return nil, errors.Join(append(giveUp(s, questions), err)...)
		}
	}
	h.Arrived++
	cards := make([]Card, len(questions))
	for i, q := range questions {
		cards[i] = Card{person, segment, slices.Clone(q)}
	}
	h.Open = append(h.Open, cards...)
	return cards, nil
}

// giveUp returns questions that were asked and not dealt.
func giveUp(s Strategy, questions []choice.Question) (errs []error) {
	for _, q := range questions {
		errs = append(errs, s.Lose(q))
	}
	return errs
}

// Tell tells the answer of a person to a card of theirs: slots of its question, the best first.
func (h *Hands) Tell(s Strategy, c Card, picks []int) error {
	at := h.find(c)
	if at < 0 {
		return ErrNotAsked
	}
	err := s.Tell(choice.Answer{Question: c.Question, Picks: picks, Respondent: c.Person, Segment: c.Segment})
	if err != nil {
		return err
	}
	return h.settle(s, at)
}

// Skip says that a person does not answer a card. Where the strategy is about people it is not replaced;
// otherwise it is asked again.
func (h *Hands) Skip(s Strategy, c Card) error {
	at := h.find(c)
	if at < 0 {
		return ErrNotAsked
	}
	if _, personal := s.(Dealer); !personal {
		if err := s.Lose(c.Question); err != nil {
			return err
		}
	}
	return h.settle(s, at)
}

// End says that a person answers nothing more.
func (h *Hands) End(s Strategy, person string) error {
	dealer, personal := s.(Dealer)
	for _, c := range h.Open {
		if c.Person == person && !personal {
			if err := s.Lose(c.Question); err != nil {
				return err
			}
		}
	}
	h.Open = slices.DeleteFunc(h.Open, func(c Card) bool { return c.Person == person })
	if personal {
		return dealer.End(person)
	}
	return nil
}

// settle takes a card off, and ends the hand of its person with the last one.
func (h *Hands) settle(s Strategy, at int) error {
	person := h.Open[at].Person
	h.Open = slices.Delete(h.Open, at, at+1)
	if dealer, ok := s.(Dealer); ok && !h.has(person) {
		return dealer.End(person)
	}
	return nil
}

func (h *Hands) has(person string) bool {
	return slices.ContainsFunc(h.Open, func(c Card) bool { return c.Person == person })
}

func (h *Hands) find(c Card) int {
	return slices.IndexFunc(h.Open, func(o Card) bool { return o.Person == c.Person && slices.Equal(o.Question, c.Question) })
}
