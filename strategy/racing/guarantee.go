package racing

import (
	"slices"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// Defaults of a [Guarantee].
const (
	DefaultEpsilon  = 0.2  // under majority: 5 points
	DefaultVerify   = 0.5  // under linear
	DefaultFallback = 0.25 // under linear
	DefaultFakes    = 2    // where majority may certify
	MaxExcluded     = majority.MaxExcluded
	MaxMajority     = 300 // the largest number of arms with which majority is the default
)

// ManyMajority is the property of arms with which majority is possible but not the default.
const ManyMajority Feature = "more than 300 arms"

// A Guarantee is what is to be certified, and on which assumption. Empty and nil fields have defaults that depend on the other
// settings and the arms: majority with ε = 0.2, unless [AgainstMajority]; else linear. Under linear there are direct comparisons
// and a fallback, unless other settings exclude them. A certificate by majority withstands two fakes. The service, the engine and
// package bestpick have these defaults.
type Guarantee struct {
	Assume                    strategy.Assumption
	Epsilon, Verify, Fallback *float64
	Fakes                     *int
}

// AgainstMajority returns why a race does not rest on majority by default, or "" if it does.
func AgainstMajority(s Settings, c *choice.Catalogue) Feature {
	if f := Excluding(s.Features(c), Exclusions(), Majority); f != "" {
		return f
	}
	if c.Len() > MaxMajority {
		return ManyMajority
	}
	return ""
}

// Apply returns the settings of a new race with the guarantee.
func (g Guarantee) Apply(s Settings, c *choice.Catalogue) Settings {
	s = g.rest(s, c)
	if s.Fakes = 0; s.CountsPeople() {
		s.Fakes = DefaultFakes
	}
	if g.Fakes != nil {
		s.Fakes = *g.Fakes
	}
	return s
}

// rest returns the settings with the assumption, and what belongs to it.
func (g Guarantee) rest(s Settings, c *choice.Catalogue) Settings {
	if s.K == 0 {
		s.K = max(2, min(3, c.Len()-max(s.Top-1, 0)))
	}
	s = s.WithDefaults()
	s.Assume, s.Epsilon, s.Verify, s.Fallback = g.Assume, given(g.Epsilon, 0), given(g.Verify, 0), given(g.Fallback, 0)
	if s.Assume == "" {
		s.Assume = strategy.Linear
		if AgainstMajority(s, c) == "" {
			s.Assume = strategy.Majority
		}
	}
	if s.Assume == strategy.Majority {
		s.Epsilon = given(g.Epsilon, DefaultEpsilon)
		return s
	}
	if g.Verify == nil && Excluding(s.Features(c), Exclusions(), Verify) == "" {
		s.Verify = DefaultVerify
	}
	if g.Fallback == nil && Excluding(s.Features(c), Exclusions(), Fallback) == "" {
		s.Fallback = DefaultFallback
	}
	return s
}

// DefaultPicks returns how many arms of a question an answer ranks by default. Under majority all but the last,
// so that every answer orders every pair that it shows; otherwise one.
func (s Settings) DefaultPicks() int {
	if s.Assume == strategy.Majority && !s.Offer.BestWorst {
		return max(1, s.K-1)
	}
	return 1
}

// Excluding returns the feature that rules out adding another to some, or "" if it can be added.
func Excluding(has map[Feature]bool, exclusions []Exclusion, f Feature) Feature {
	has[f] = true
	for _, e := range exclusions {
		switch { // only the part that is about the feature
		case slices.Contains(e.Of, f):
			e.Of = []Feature{f}
		case slices.Contains(e.With, f):
			e.With = []Feature{f}
		default:
			continue
		}
		if of, with, err := e.Violation(has); err != nil {
			if of == f {
				return with
			}
			return of
		}
	}
	return ""
}

// given returns a value, or a default if there is none.
func given(value *float64, otherwise float64) float64 {
	if value == nil {
		return otherwise
	}
	return *value
}
