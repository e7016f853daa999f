// Package bestpick finds the best of many options by asking people to choose among a few.
//
// A [Race] chooses which options to show, learns from every answer, and stops when it is sure:
//
//	race, err := bestpick.New([]string{"plain", "bright", "brass"})
//	…
//	question, err := race.Ask() // show question.Options to a person who arrives now
//	…
//	err = race.Tell(question, "bright", "plain") // the best option, then the second best
//	…
//	result := race.Result() // at any time: the best option so far, and whether it is certified
//
// Use [Race.Deal] for a person with several questions.
//
// # Guarantee
//
// As in new live studies: put next to any single other option, a certified one is chosen by at least 45 of 100
// people. This is wrong with probability at most 5% ([Delta], [Epsilon]), no matter when you look and stop, if
//
//   - every person who arrives is drawn at random, whatever others have answered, but for up to two fakes ([Fakes]),
//     who may answer whatever they like,
//   - which of their questions a person answers does not depend on what they choose, and
//   - people rank two options in the same way with a third one on the screen as without it.
//
// It assumes no model of what people like. Features only help to choose questions, so that fewer are needed. Where
// answers rank fewer options than all but the last, the certificate is about the questions as they were asked
// ([Result.Partial]).
//
// With more than [MaxMajority] options the certificate assumes instead that picks follow one softmax of utilities
// that are linear in the features. Package strategy/racing has all settings.
package bestpick

import (
	"errors"
	"fmt"
	"slices"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// The guarantee of a race.
const (
	Delta       = 0.05                  // the largest probability of certifying a wrong option
	Epsilon     = racing.DefaultEpsilon // no single other option is chosen over the winner by more than 55 of 100 people
	Fakes       = racing.DefaultFakes   // people who may be fake
	MaxMajority = racing.MaxMajority    // options that are compared with the best one by one
)

// ErrDone is the error of [Race.Ask] and [Race.Deal] after the race has stopped.
var ErrDone = errors.New("bestpick: the race is done")

// A Race looks for the best option. Races with the same options and answers ask the same questions. Not safe for
// concurrent use.
type Race struct {
	arms   *choice.Catalogue
	racing racing.Race
	picks  int
	hands  strategy.Hands
}

// New starts a race between options with these names, which must differ.
func New(options []string) (*Race, error) {
	arms, err := choice.NewNames(options)
	if err != nil {
		return nil, err
	}
	return start(arms)
}

// NewTable starts a race between options with features: rows has a row for each option with a number for each feature.
func NewTable(options, features []string, rows [][]float64) (*Race, error) {
	arms, err := choice.NewCatalogue(options, features, rows)
	if err != nil {
		return nil, err
	}
	return start(arms)
}

func start(arms *choice.Catalogue) (*Race, error) {
	settings := racing.Guarantee{}.Apply(racing.Settings{Delta: Delta}, arms)
	started, err := racing.New(arms, settings)
	if err != nil {
		return nil, err
	}
	return &Race{arms: arms, racing: started, picks: settings.DefaultPicks()}, nil
}

// A Question shows options to one person.
type Question struct {
	Options []string // in the order to show them
	Picks   int      // how many of them to rank, the best first

	card strategy.Card
}

// Ask returns a question for a person who arrives now and has one question, or [ErrDone]. Any number of questions may
// be open at once.
func (r *Race) Ask() (Question, error) {
	card, err := r.hands.Ask(r.racing, "")
	if err != nil {
		return Question{}, asError(err)
	}
	return r.question(card), nil
}

// Deal returns the questions of a person who arrives now, or [ErrDone]: n, or fewer if the race is nearly done. What
// they answer counts as the opinion of one person. Everyone is dealt questions once.
func (r *Race) Deal(person string, n int) ([]Question, error) {
	cards, err := r.hands.Deal(r.racing, person, "", n)
	if err != nil {
		return nil, asError(err)
	}
	hand := make([]Question, len(cards))
	for i, card := range cards {
		hand[i] = r.question(card)
	}
	return hand, nil
}

func asError(err error) error {
	if errors.Is(err, strategy.ErrStopped) {
		return ErrDone
	}
	return fmt.Errorf("bestpick: %w", err)
}

func (r *Race) question(c strategy.Card) Question {
	return Question{r.names(c.Question), min(r.picks, len(c.Question)-1), c}
}

// Tell counts the answer of the person to whom a question was dealt: the names of options shown, the best first. It
// returns an error, and changes nothing, for any other names and for a question that is not open.
func (r *Race) Tell(q Question, picks ...string) error {
	shown, slots := r.names(q.card.Question), make([]int, len(picks))
	for i, pick := range picks {
		if slots[i] = slices.Index(shown, pick); slots[i] < 0 {
			return fmt.Errorf("bestpick: the picks must be among %q, got %q", shown, pick)
		}
	}
	return r.hands.Tell(r.racing, q.card, slots)
}

// Skip closes a question that its person does not answer.
func (r *Race) Skip(q Question) error { return r.hands.Skip(r.racing, q.card) }

// End says that a person answers none of their other questions. Call it some time after their last answer, such as
// five minutes, and not because of what they chose.
func (r *Race) End(person string) error { return r.hands.End(r.racing, person) }

// A Result is the state of knowledge of a race.
type Result struct {
	Best       string   // so far; final once the race is done
	Contenders []string // options that may be best, the best first
	Answers    int
	People     int  // with an answer, and none left to give; 0 with more than MaxMajority options
	Done       bool // no more questions are needed
	Certified  bool // Best has the guarantee; if Done is set without it, no option has: people prefer them in a circle

	// Partial says that answers ranked fewer options than all but the last, so that what is certified is about the
	// questions as they were asked, and not about two options alone.
	Partial bool

	// AtMost is proven at any time, certified or not: with probability at least 1 − Delta no other option is chosen
	// over Best by more than this share of the people. It is 0 while nothing is proven about Best.
	AtMost float64
}

// Result returns the state of knowledge.
func (r *Race) Result() Result {
	v := r.racing.Verdict()
	result := Result{
		Best: r.arms.ID(v.Leader), Contenders: r.names(v.Contenders), Answers: v.Answered, People: v.Respondents,
		Done: v.Status != strategy.Asking, Certified: v.Status == strategy.Certified, Partial: v.Partial,
	}
	if v.Proven.Arm == v.Leader {
		result.AtMost = v.Proven.Share
	}
	return result
}

func (r *Race) names(arms []int) []string {
	names := make([]string, len(arms))
	for i, arm := range arms {
		names[i] = r.arms.ID(arm)
	}
	return names
}
