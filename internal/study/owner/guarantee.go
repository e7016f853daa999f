package owner

import (
	"cmp"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A Guarantee is what an owner wants certified, and on which assumption, see [racing.Guarantee].
type Guarantee racing.Guarantee

// Apply returns the settings of a new study with the guarantee. An answer ranks all arms but the last by default
// where the verdict is about the majority.
func (g Guarantee) Apply(s study.Settings, arms *choice.Catalogue) study.Settings {
	s.Strategy = racing.Guarantee(g).Apply(s.Strategy, arms)
	if s.Picks == 0 {
		s.Picks = s.Strategy.DefaultPicks()
	}
	return s.WithDefaults()
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
