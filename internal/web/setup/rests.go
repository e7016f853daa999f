package setup

import (
	"cmp"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A basis says what the verdict of a study of some arms can rest on.
type basis struct {
	Possible bool   // the verdict may rest on majority
	Why      string // the message key of why it should not, or cannot
	arms     *archive.Catalogue
}

// basisOf returns the basis of a study of which only the model and the prior of its strategy matter. Without arms it may
// rest on majority.
func basisOf(arms *archive.Catalogue, s racing.Settings) basis {
	b := basis{Possible: true, arms: arms}
	if arms == nil {
		return b
	}
	majority := racing.Settings{K: 2, Assume: strategy.Majority}.WithDefaults()
	enumerated := majority.Check(arms.Arms) == nil
	majority.Model = s.Model
	b.Possible = s.Prior == nil && majority.Check(arms.Arms) == nil
	switch {
	case arms.Profiles != nil:
		b.Why = "rests.product"
	case !enumerated:
		b.Why = "rests.limit"
	case s.Prior != nil:
		b.Why = "rests.prior"
	case !b.Possible:
		b.Why = "rests.model"
	case arms.Arms.Len() > study.MaxMajorityDefault:
		b.Why = "rests.many"
	}
	return b
}

// suggested returns what the verdict rests on unless the owner chooses otherwise.
func (b basis) suggested() strategy.Assumption {
	if b.Why != "" {
		return strategy.Linear
	}
	return strategy.Majority
}

// Most returns the largest number of options with which majority is suggested.
func (basis) Most() int { return study.MaxMajorityDefault }

// suggest sets what the verdict rests on, unless the owner has changed the last suggestion.
func (f *studyForm) suggest(b basis) {
	suggested := string(b.suggested())
	if f.Assume == f.Suggested || !b.Possible {
		f.Assume = suggested
	}
	f.Suggested = suggested
}

// Linear returns the settings of the strategy if the verdict rests on the model.
func (v formView) Linear() racing.Settings {
	s := newSettings(0).Strategy
	if v.Study != nil {
		s = v.Study.Settings.Strategy
	}
	v.Rests.rest(&s, strategy.Linear, false)
	return s
}

// rest sets what the verdict rests on. Settings that belong to that change only if it changes, or if
// other settings have changed that may rule them out.
func (b basis) rest(s *racing.Settings, assume strategy.Assumption, others bool) {
	if assume == assumption(*s) && !others {
		return
	}
	if b.arms == nil {
		s.Assume, s.Fallback, s.Verify = assume, 0, 0
		return
	}
	wanted := owner.Guarantee{Assume: assume, Epsilon: &s.Epsilon}
	if assume == b.suggested() {
		wanted.Assume = ""
	}
	*s = wanted.Apply(study.Settings{Strategy: *s}, b.arms.Arms).Strategy
}

// assumption returns what the verdict rests on by the settings.
func assumption(s racing.Settings) strategy.Assumption { return cmp.Or(s.Assume, strategy.Linear) }
