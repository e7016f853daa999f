package owner

import (
	"cmp"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Defaults of new studies.
const (
	defaultEpsilon  = 0.2  // under majority: 5 points
	DefaultVerify   = 0.5  // where the arms rule out majority
	DefaultFallback = 0.25 // under linear
)

// A Guarantee is what an owner wants certified, and on which assumption. Empty and nil fields have
// defaults that depend on the arms: majority with ε = 0.2 for up to 300 arms. Where the arms, the
// model or a prior rule that out, linear, with direct comparisons. Linear studies have a fallback. Both as far as
// [racing.Settings.Check] allows them.
type Guarantee struct {
	Assume                    strategy.Assumption
	Epsilon, Verify, Fallback *float64
}

// Apply returns the settings of a new study with the guarantee.
func (g Guarantee) Apply(s racing.Settings, arms *archive.Catalogue) racing.Settings {
	s = s.WithDefaults()
	s.Assume, s.Epsilon, s.Verify, s.Fallback = g.Assume, given(g.Epsilon, 0), given(g.Verify, 0), given(g.Fallback, 0)
	possible := func(changed racing.Settings) bool { return changed.Check(arms.Arms) == nil }
	if s.Assume == "" {
		s.Assume = strategy.Majority
		if s.Prior != nil || arms.Arms.Len() > study.MaxMajorityDefault || s.CheckAssumption(arms.Arms) != nil {
			s.Assume = strategy.Linear
		}
	}
	if s.Assume == strategy.Majority {
		s.Epsilon = given(g.Epsilon, defaultEpsilon)
		return s
	}
	verified := s
	if verified.Verify = given(g.Verify, DefaultVerify); g.Assume == "" && possible(verified) {
		s = verified
	}
	hedged := s
	if hedged.Fallback = given(g.Fallback, DefaultFallback); possible(hedged) {
		s = hedged
	}
	return s
}

// Keep returns the settings of an existing study with the guarantee: empty and nil fields keep their
// values.
func (g Guarantee) Keep(s, current racing.Settings) racing.Settings {
	s.Assume = g.Assume
	if g.Assume == "" || g.Assume == cmp.Or(current.Assume, strategy.Linear) {
		s.Assume = current.Assume
	}
	s.Epsilon, s.Verify, s.Fallback = given(g.Epsilon, current.Epsilon), given(g.Verify, current.Verify), given(g.Fallback, current.Fallback)
	return s
}

// withGoal returns the settings of the strategy of a study that is opened: with a budget, questions aim
// at what it can certify.
func withGoal(s study.Settings) racing.Settings {
	settings := s.Strategy
	if s.Kind == "" && s.Budget > 0 && settings.Assume != strategy.Majority && settings.Top == 0 {
		settings.Budget = s.Budget
	}
	return settings
}

// given returns a value, or a default if there is none.
func given(value *float64, otherwise float64) float64 {
	if value == nil {
		return otherwise
	}
	return *value
}

// checkGuarantee returns an error if the arms or other settings rule out the assumption of a study.
func checkGuarantee(s racing.Settings, arms *archive.Catalogue) error {
	err := s.CheckAssumption(arms.Arms)
	switch {
	case err == nil:
		return nil
	case s.Assume != strategy.Majority && s.Fallback != 0:
		return study.Invalid("settings.fallback", err.Error())
	}
	return study.Invalid("settings.assume", err.Error())
}
