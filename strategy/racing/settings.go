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

	// Epsilon is by how much another arm may be better than the certified one. Defaults to 0.
	Epsilon float64 `json:"epsilon,omitempty"`

	// LookEvery is how many answers pass between two looks, as a share of the answers so far.
	// Defaults to 1/64; -1 looks after every answer.
	LookEvery float64 `json:"look_every,omitempty"`

	// Model is what picks may depend on besides the features. Defaults to nothing.
	Model Model `json:"model,omitzero"`

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

	// Seed makes the random choices repeatable. Defaults to 0.
	Seed uint64 `json:"seed"`
}

const (
	maxK        = 1000 // more arms than a respondent can choose between
	maxMajority = 512  // arms that can be compared with the leader one by one
)

// WithDefaults returns the settings with every zero field at its default.
func (s Settings) WithDefaults() Settings {
	if s.K == 0 {
		s.K = 3
	}
	if s.Delta == 0 {
		s.Delta = 0.05
	}
	return s
}

// Check returns an error unless the strategy can be run on the arms of a catalogue with these
// settings, defaults filled in.
func (s Settings) Check(c *choice.Catalogue) error { return s.check(c, defaultSizes()) }

func (s Settings) check(c *choice.Catalogue, size sizes) error {
	switch {
	case s.K < 2 || s.K > maxK:
		return fmt.Errorf("strategy: K must be at least 2 and at most %d, got %d", maxK, s.K)
	case s.K > c.Len():
		return fmt.Errorf("strategy: a question shows %d different arms, and there are %d", s.K, c.Len())
	case !(s.Delta > 0 && s.Delta < 1):
		return fmt.Errorf("strategy: δ must lie between 0 and 1, got %v", s.Delta)
	case !(s.LookEvery <= 1):
		return fmt.Errorf("strategy: looks cannot be %v times the answers apart", s.LookEvery)
	case !(s.Epsilon >= 0 && s.Epsilon <= evidence.MaxSpread):
		return fmt.Errorf("strategy: ε must lie between 0 and %v, got %v", evidence.MaxSpread, s.Epsilon)
	}
	if err := s.checkVerify(); err != nil {
		return err
	}
	if err := s.checkMajority(c); err != nil {
		return err
	}
	if size.isMany(c) && !(s.Model.plain() && s.Verify == 0) {
		return fmt.Errorf("strategy: with a product, or with more than %d arms, there is the plain model only and nothing is verified", size.few)
	}
	return s.Model.check()
}

func (s Settings) checkVerify() error {
	switch {
	case !(s.Verify >= 0 && s.Verify <= evidence.MaxSpread):
		return fmt.Errorf("strategy: appeal of %v that features miss cannot be verified", s.Verify)
	case s.Verify > 0 && len(s.Model.Segments) > 0:
		return errors.New("strategy: direct comparisons do not tell segments apart, so they cannot verify")
	}
	return nil
}

// countsPeople reports whether the race collects majority evidence.
func (s Settings) countsPeople() bool { return s.Assume == strategy.Majority || s.Fallback > 0 }

func (s Settings) checkMajority(c *choice.Catalogue) error {
	if err := s.Assume.Check(); err != nil {
		return err
	}
	switch {
	case !(s.Fallback >= 0 && s.Fallback < 1):
		return fmt.Errorf("strategy: the share for the fallback must be at least 0 and less than 1, got %v", s.Fallback)
	case !s.countsPeople():
		return nil
	case s.Assume == strategy.Majority && (s.Fallback > 0 || s.Verify > 0):
		return errors.New("strategy: under majority there is nothing to fall back to or to verify")
	case !s.Model.plain():
		return errors.New("strategy: majority evidence needs no model of slots, intercepts, clicks or segments")
	case c.Product() != nil || c.Len() > maxMajority:
		return fmt.Errorf("strategy: majority evidence compares every arm with the leader, so at most %d arms, and no product", maxMajority)
	}
	return nil
}
