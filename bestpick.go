// Package bestpick finds the best of many options by asking people to pick one of a few.
//
// A [Race] chooses which options to show, learns from every pick, and stops when it is sure:
//
//	race, err := bestpick.New([]string{"plain", "bright", "brass"})
//	…
//	question, err := race.Ask() // show question.Options to a person
//	…
//	err = race.Tell(question, "bright") // the option that the person picked
//	…
//	result := race.Result() // at any time: the best option so far, and whether it is certified
//
// # Guarantee
//
// As in new live studies, with probability at least 95% at most 55 of 100 people would choose any other option over a
// certified one ([Delta], [Epsilon]). This holds no matter when you look and stop, if the people are drawn at random,
// and whether a pick arrives does not depend on it. It assumes no model of what people like. Features only help to
// choose questions, so that fewer are needed.
//
// With more than [MaxMajority] options the certificate assumes that picks follow one softmax of utilities that are
// linear in the features. Package strategy/racing has all settings.
package bestpick

import (
	"errors"
	"fmt"
	"slices"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// The guarantee of a race, and the number of options in a question.
const (
	Delta       = 0.05 // the largest probability of certifying a wrong option
	Epsilon     = 0.2  // 5 people in 100 more than half may choose another option
	Shown       = 3
	MaxMajority = 300 // options that are compared with the best one by one
)

// ErrDone is the error of [Race.Ask] after the race has stopped.
var ErrDone = errors.New("bestpick: the race is done")

// A Race looks for the best option. Races with the same options and picks ask the same questions. Not safe for
// concurrent use.
type Race struct {
	arms   *choice.Catalogue
	racing racing.Race
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
	started, err := racing.New(arms, settings(arms))
	if err != nil {
		return nil, err
	}
	return &Race{arms, started}, nil
}

// settings returns the settings of a new live study of the arms.
func settings(arms *choice.Catalogue) racing.Settings {
	s := racing.Settings{K: min(Shown, arms.Len()), Delta: Delta}
	if arms.Len() <= MaxMajority {
		s.Assume, s.Epsilon = strategy.Majority, Epsilon
		return s
	}
	s.Assume = strategy.Linear
	for _, change := range []func(*racing.Settings){
		func(s *racing.Settings) { s.Verify = 0.5 },
		func(s *racing.Settings) { s.Fallback = 0.25 },
	} {
		changed := s
		if change(&changed); changed.Check(arms) == nil {
			s = changed
		}
	}
	return s
}

// A Question shows options to one person.
type Question struct {
	Options []string // in the order to show them

	arms choice.Question
}

// Ask returns the next question, or [ErrDone]. Any number of questions may be open at once, for different people.
func (r *Race) Ask() (Question, error) {
	arms, err := r.racing.Ask()
	if errors.Is(err, strategy.ErrStopped) {
		return Question{}, ErrDone
	}
	return Question{r.names(arms), slices.Clone(arms)}, err
}

// Tell counts the pick of a person with a single question: the name of one of the options shown. It returns an
// error, and changes nothing, for any other name and for a question that is not open.
func (r *Race) Tell(q Question, pick string) error { return r.TellFrom("", q, pick) }

// TellFrom is [Race.Tell] for a person with several questions. Their picks count when they [Race.Finish].
func (r *Race) TellFrom(person string, q Question, pick string) error {
	slot := slices.Index(q.Options, pick)
	if slot < 0 {
		return fmt.Errorf("bestpick: the pick must be one of %q, got %q", q.Options, pick)
	}
	return r.racing.Tell(choice.Answer{Question: q.arms, Picks: []int{slot}, Respondent: person})
}

// Finish ends the session of a person: they will not answer the rest of their questions.
func (r *Race) Finish(person string) error {
	if dealer, ok := r.racing.(strategy.Dealer); ok {
		return dealer.End(person)
	}
	return nil
}

// Skip closes a question that will not be answered. It is asked again.
func (r *Race) Skip(q Question) error { return r.racing.Lose(q.arms) }

// A Result is the state of knowledge of a race.
type Result struct {
	Best       string   // so far; final once the race is done
	Contenders []string // options that may be best, the best first
	Answers    int
	Done       bool // no more questions are needed
	Certified  bool // Best has the guarantee; if Done is set without it, no option has: people prefer them in a circle
}

// Result returns the state of knowledge.
func (r *Race) Result() Result {
	v := r.racing.Verdict()
	return Result{
		Best: r.arms.ID(v.Leader), Contenders: r.names(v.Contenders), Answers: v.Answered,
		Done: v.Status != strategy.Asking, Certified: v.Status == strategy.Certified,
	}
}

func (r *Race) names(arms []int) []string {
	names := make([]string, len(arms))
	for i, arm := range arms {
		names[i] = r.arms.ID(arm)
	}
	return names
}
