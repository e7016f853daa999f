package racing

import (
	"errors"
	"fmt"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// Settings configures the strategy. The zero value has every default.
type Settings struct {
	// K is the number of arms in a question. Defaults to 3.
	K int `json:"k"`

	// Delta is the largest probability of certifying a wrong arm. Defaults to 0.05.
	Delta float64 `json:"delta"`

	// Epsilon is the largest lead in utility of any arm over the certified one. Defaults to 0.
	Epsilon float64 `json:"epsilon,omitempty"`

	// Budget is the number of answers after which the race will end. Where it does not suffice for
	// Epsilon, questions aim at the smallest ε that it can certify ([Racing.CertifiedEpsilon]). The
	// evidence is valid at any other number of answers, too. Defaults to 0, no budget.
	Budget int `json:"budget,omitempty"`

	// LookEvery is the number of answers between two looks, as a share of the answers so far.
	// Defaults to 1/64; -1 looks after every answer.
	LookEvery float64 `json:"look_every,omitempty"`

	// Model selects effects on picks besides the features. Defaults to none.
	Model Model `json:"model,omitzero"`

	// Offer is what respondents may answer besides picks and rankings. Defaults to nothing else. Under
	// [strategy.Majority] only picks of the best arm count.
	Offer choice.Offer `json:"offer,omitzero"`

	// Verify is how much of an arm's utility the features may miss without the strategy noticing:
	// before it stops, it compares the leader directly with arms that are near it, which costs
	// answers. Defaults to 0, no direct comparisons.
	Verify float64 `json:"verify,omitempty"`

	// Assume is what the certificate rests on. Defaults to [strategy.Linear]. Under
	// [strategy.Majority] the model only guides the choice of questions.
	Assume strategy.Assumption `json:"assume,omitempty"`

	// Fallback is the share of Delta that a linear race keeps for majority evidence, which it then
	// collects from the start. When the answers refute the linear model, the race continues under
	// [strategy.Majority] instead of ending. Defaults to 0, no fallback.
	Fallback float64 `json:"fallback,omitempty"`

	// Top is the number of best arms to certify together, or [TopAll] for a ranking of all arms: no arm
	// is better than one ranked above it by more than Epsilon, where the arms among the best, and the
	// others, are not ranked. Only under [strategy.Linear], for at most 512 arms. Defaults to the single
	// best arm.
	Top int `json:"top,omitempty"`

	// Prior summarises choices recorded elsewhere. They inform questions and predictions but are no
	// evidence. Defaults to none. It must not depend on answers of this race.
	Prior *Prior `json:"prior,omitempty"`

	// Seed makes the random choices repeatable. Defaults to 0.
	Seed uint64 `json:"seed"`
}

// The largest differences in utility that can be set.
const (
	MaxEpsilon = evidence.MaxSpread
	MaxVerify  = evidence.MaxSpread
)

// maxMajority is the number of arms that can be compared with the leader one by one.
const maxMajority = 512

// WithDefaults returns the settings with every zero field at its default.
func (s Settings) WithDefaults() Settings {
	if s.K == 0 {
		s.K = 3
	}
	if s.Delta == 0 {
		s.Delta = 0.05
	}
	if s.Top == 1 {
		s.Top = 0
	}
	return s
}

// Check returns an error if the strategy cannot run on the arms of a catalogue with these settings
// after [Settings.WithDefaults].
func (s Settings) Check(c *choice.Catalogue) error { return s.check(c, defaultSizes()) }

func (s Settings) check(c *choice.Catalogue, size sizes) error {
	switch {
	case s.K < 2 || s.K > strategy.MaxK:
		return fmt.Errorf("K must be at least 2 and at most %d, got %d", strategy.MaxK, s.K) //nolint:staticcheck // K is a symbol
	case s.K > c.Len():
		return fmt.Errorf("K must be at most the number of arms, got K = %d and %d arms", s.K, c.Len()) //nolint:staticcheck // K is a symbol
	case !(s.Delta > 0 && s.Delta < 1):
		return fmt.Errorf("δ must lie between 0 and 1, got %v", s.Delta)
	case !(s.LookEvery <= 1):
		return fmt.Errorf("LookEvery must be at most 1, got %v", s.LookEvery)
	case s.Budget < 0:
		return fmt.Errorf("the budget must be at least 0, got %d", s.Budget)
	case !(s.Epsilon >= 0 && s.Epsilon <= MaxEpsilon):
		return fmt.Errorf("ε must lie between 0 and %v, got %v", MaxEpsilon, s.Epsilon)
	}
	if err := s.checkVerify(); err != nil {
		return err
	}
	if err := s.checkTop(c); err != nil {
		return err
	}
	if err := s.Prior.check(c, s, size); err != nil {
		return err
	}
	if err := s.CheckAssumption(c); err != nil {
		return err
	}
	if err := s.checkOffer(c, size); err != nil {
		return err
	}
	if size.isMany(c) && !(s.Model.plain() && s.Verify == 0) {
		return fmt.Errorf("a model and Verify need an enumerated catalogue of at most %d arms", size.few)
	}
	return s.Model.check()
}

// checkOffer returns an error if other settings or the arms rule out the offer.
func (s Settings) checkOffer(c *choice.Catalogue, size sizes) error {
	m := s.Model
	switch {
	case s.Offer.IsPlain():
		return nil
	case m.Slots || m.Clicks || len(m.Segments) > 0 && s.Assume != strategy.Majority:
		return errors.New("none, ties and best-worst cannot be combined with slots, clicks or segments in the model")
	case s.Verify > 0 || s.Fallback > 0:
		return errors.New("none, ties and best-worst cannot be combined with verification or a fallback")
	case (s.Offer.Outside || s.Offer.Ties) && size.isMany(c):
		return fmt.Errorf("none and ties need an enumerated catalogue of at most %d arms", size.few)
	}
	return s.Offer.CheckQuestions(c.Len(), s.K)
}

func (s Settings) checkVerify() error {
	switch {
	case !(s.Verify >= 0 && s.Verify <= MaxVerify):
		return fmt.Errorf("the appeal to verify must lie between 0 and %v, got %v", MaxVerify, s.Verify)
	case s.Verify > 0 && len(s.Model.Segments) > 0:
		return errors.New("verification cannot be combined with segments: direct comparisons do not distinguish them")
	}
	return nil
}

// CountsPeople reports whether the race collects majority evidence.
func (s Settings) CountsPeople() bool { return s.Assume == strategy.Majority || s.Fallback > 0 }

// CheckAssumption returns an error if the arms of a catalogue or other settings rule out Assume or
// Fallback.
func (s Settings) CheckAssumption(c *choice.Catalogue) error {
	if err := s.Assume.Check(); err != nil {
		return err
	}
	switch {
	case !(s.Fallback >= 0 && s.Fallback < 1):
		return fmt.Errorf("the share for the fallback must be at least 0 and less than 1, got %v", s.Fallback)
	case !s.CountsPeople():
		return nil
	case s.Top != 0:
		return s.checkTop(c)
	case s.Assume == strategy.Majority && (s.Fallback > 0 || s.Verify > 0):
		return errors.New("under majority there is nothing to fall back to or to verify")
	case s.Model.Slots || s.Model.Intercepts || s.Model.Clicks:
		return errors.New("majority evidence needs no model of slots, intercepts or clicks")
	case s.Fallback > 0 && len(s.Model.Segments) > 0:
		return errors.New("a fallback cannot be combined with segments in the model")
	case c.Product() != nil || c.Len() > maxMajority:
		return fmt.Errorf("majority evidence compares every arm with the leader, so at most %d arms, and no product", maxMajority)
	}
	return nil
}
