package replay

import (
	"errors"
	"fmt"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Strategies has the kinds of strategies that studies can name, besides racing, which has no name.
type Strategies map[string]strategy.Kind

// New makes the strategy of a study with some arms.
func (s Strategies) New(settings study.Settings, arms *choice.Catalogue) (strategy.Strategy, error) {
	if settings.Kind == "" {
		return racing.New(arms, settings.Strategy)
	}
	kind, err := s.kind(settings.Kind)
	if err != nil {
		return nil, err
	}
	r := settings.Strategy
	return kind.New(arms, strategy.Settings{K: r.K, Delta: r.Delta, Epsilon: r.Epsilon, Seed: r.Seed})
}

// restore returns the strategy of a snapshot.
func (s Strategies) restore(settings study.Settings, arms *choice.Catalogue, snapshot []byte) (strategy.Strategy, error) {
	if settings.Kind == "" {
		return racing.Restore(arms, snapshot)
	}
	kind, err := s.kind(settings.Kind)
	if err != nil {
		return nil, err
	}
	return kind.Restore(arms, snapshot)
}

func (s Strategies) kind(name string) (strategy.Kind, error) {
	kind, known := s[name]
	if !known {
		return kind, fmt.Errorf("this program does not have the strategy %q", name)
	}
	return kind, nil
}

// A finisher is a strategy that counts people.
type finisher interface {
	strategy.Finisher

	// Finished reports whether a respondent is complete.
	Finished(respondent string) bool
}

// extend adds arms to the strategy.
func (r *Replayer) extend(arms *choice.Catalogue) error {
	changer, ok := r.strategy.(strategy.Changer)
	if !ok {
		return errFixedArms
	}
	return changer.Extend(arms)
}

// withdraw withdraws an arm from the strategy.
func (r *Replayer) withdraw(arm int) error {
	changer, ok := r.strategy.(strategy.Changer)
	if !ok {
		return errFixedArms
	}
	return changer.Withdraw(arm)
}

// errFixedArms is the error of a strategy that is no [strategy.Changer]. Owners cannot get there.
var errFixedArms = errors.New("the strategy does not allow arms to be added or withdrawn")

// importAnswer tells the strategy an answer to a question that was asked elsewhere.
func (r *Replayer) importAnswer(answer choice.Answer) error {
	importer, ok := r.strategy.(strategy.Importer)
	if !ok {
		return errors.New("the strategy cannot import answers")
	}
	return importer.Import(answer)
}

// recount tells the strategy an answer to a question of the plans before an erasure. A strategy that
// is no [strategy.Importer] starts without these answers.
func (r *Replayer) recount(answer choice.Answer) error {
	importer, ok := r.strategy.(strategy.Importer)
	if !ok {
		return nil
	}
	return importer.Recount(answer)
}

// allStandings returns the standings of all contenders besides the leader. Contenders that the strategy
// does not describe have only their number.
func allStandings(v strategy.Verdict) []strategy.Standing {
	if len(v.Standings) > 0 || len(v.Contenders) == 0 {
		return v.Standings
	}
	standings := make([]strategy.Standing, 0, len(v.Contenders)-1)
	for _, arm := range v.Contenders[1:] {
		standings = append(standings, strategy.Standing{Arm: arm})
	}
	return standings
}
