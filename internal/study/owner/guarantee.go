package owner

import (
	"cmp"

	"bestpick/choice"
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
// defaults that depend on the other settings and the arms: majority with ε = 0.2, unless
// [AgainstMajority]; else linear with direct comparisons. Linear studies have a fallback. Both unless
// other settings exclude them.
type Guarantee struct {
	Assume                    strategy.Assumption
	Epsilon, Verify, Fallback *float64
}

// ManyArms is the property of arms with which majority is possible but not the default.
const ManyArms racing.Feature = "more than 300 arms"

// AgainstMajority returns why the verdict of a study does not rest on majority by default, or "" if it
// does.
func AgainstMajority(s study.Settings, arms *choice.Catalogue) racing.Feature {
	if f := s.Excluding(racing.Majority, arms); f != "" {
		return f
	}
	if arms.Len() > study.MaxMajorityDefault {
		return ManyArms
	}
	return ""
}

// Apply returns the settings of a new study with the guarantee.
func (g Guarantee) Apply(s study.Settings, arms *choice.Catalogue) study.Settings {
	s = s.WithDefaults()
	r := &s.Strategy
	r.Assume, r.Epsilon, r.Verify, r.Fallback = g.Assume, given(g.Epsilon, 0), given(g.Verify, 0), given(g.Fallback, 0)
	if r.Assume == "" {
		r.Assume = strategy.Linear
		if AgainstMajority(s, arms) == "" {
			r.Assume = strategy.Majority
		}
	}
	if r.Assume == strategy.Majority {
		r.Epsilon = given(g.Epsilon, defaultEpsilon)
		return s
	}
	if g.Assume == "" && g.Verify == nil && s.Excluding(racing.Verify, arms) == "" {
		r.Verify = DefaultVerify
	}
	if g.Fallback == nil && s.Excluding(racing.Fallback, arms) == "" {
		r.Fallback = DefaultFallback
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
	s.Epsilon, s.Verify = given(g.Epsilon, current.Epsilon), given(g.Verify, current.Verify)
	s.Fallback = given(g.Fallback, current.Fallback)
	return s
}

// withGoal returns the settings of the strategy of a study that is opened: with a budget, questions aim
// at what it can certify.
func withGoal(s study.Settings) racing.Settings {
	settings := s.Strategy
	if s.Budget > 0 && settings.Assume != strategy.Majority && settings.Top == 0 {
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
