package racing

import (
	"fmt"
	"slices"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// A Feature is a choice in the settings, or a property of the arms, that excludes others.
type Feature string

// The features.
const (
	Majority   Feature = "majority" // a value of Assume
	Fallback   Feature = "fallback"
	Verify     Feature = "verify"
	Top        Feature = "top"
	PriorGiven Feature = "prior"
	Slots      Feature = "slots"
	Intercepts Feature = "intercepts"
	Clicks     Feature = "clicks"
	Segments   Feature = "segments"
	Outside    Feature = "outside"
	Ties       Feature = "ties"
	BestWorst  Feature = "best_worst"

	Product   Feature = "a product"
	ManyPairs Feature = "more than 512 arms"
	ManyArms  Feature = "more than 4,096 arms"
)

// MaxPairs is the number of arms up to which all pairs are compared, and all arms with the leader.
const MaxPairs = majority.MaxArms

// Features returns the features of the settings, and of the arms of a catalogue unless that is nil.
func (s Settings) Features(c *choice.Catalogue) map[Feature]bool {
	return s.features(c, defaultLookSizes())
}

func (s Settings) features(c *choice.Catalogue, size lookSizes) map[Feature]bool {
	m, o := s.Model, s.Offer
	has := map[Feature]bool{
		Majority: s.Assume == strategy.Majority, Fallback: s.Fallback > 0, Verify: s.Verify > 0, Top: s.Top != 0,
		PriorGiven: s.Prior != nil,
		Slots:      m.Slots, Intercepts: m.Intercepts, Clicks: m.Clicks, Segments: len(m.Segments) > 0,
		Outside: o.Outside, Ties: o.Ties, BestWorst: o.BestWorst,
	}
	if c != nil {
		has[Product], has[ManyPairs], has[ManyArms] = c.Product() != nil, c.Len() > MaxPairs, c.Len() > size.few
	}
	return has
}

// An Exclusion says that none of some features can be combined with any of others.
type Exclusion struct {
	Of, With []Feature
	Unless   Feature // with this feature the others can be combined; empty for never
	Why      string
}

// Exclusions returns all combinations of features that a race cannot have.
func Exclusions() []Exclusion {
	model := []Feature{Slots, Intercepts, Clicks, Segments}
	offers := []Feature{Outside, Ties, BestWorst}
	return []Exclusion{
		{[]Feature{Top}, []Feature{Majority, Fallback}, "", "majority evidence compares arms with the leader only"},
		{[]Feature{Top}, []Feature{Verify, Clicks}, "", "direct comparisons and random clicks compare arms with the leader only"},
		{[]Feature{Top}, []Feature{Product, ManyPairs}, "", "a ranking needs pairs of arms one by one"},
		{[]Feature{PriorGiven}, []Feature{Majority, Fallback}, "", "recorded choices are not answers of the people who are asked"},
		{[]Feature{PriorGiven}, []Feature{Segments}, "", "recorded choices do not distinguish segments"},
		{[]Feature{PriorGiven}, []Feature{Product, ManyArms}, "", "a prior needs enumerated arms"},
		{[]Feature{Fallback, Verify}, []Feature{Majority}, "", "under majority there is nothing to fall back to or to verify"},
		{[]Feature{Majority, Fallback}, []Feature{Slots, Intercepts, Clicks}, "", "majority evidence needs no model of these effects"},
		{[]Feature{Fallback}, []Feature{Segments}, "", "majority evidence of a fallback does not distinguish segments"},
		{[]Feature{Majority, Fallback}, []Feature{Product, ManyPairs}, "", "majority evidence compares every arm with the leader"},
		{[]Feature{Verify}, []Feature{Segments}, "", "direct comparisons do not distinguish segments"},
		{offers, []Feature{Slots, Clicks}, "", "the model does not cover these answers"},
		{offers, []Feature{Segments}, Majority, "the model does not cover these answers"},
		{offers, []Feature{Verify, Fallback}, "", "direct comparisons and majority evidence of a fallback need picks"},
		{[]Feature{Outside, Ties}, []Feature{Product, ManyArms}, "", "the model of these answers needs enumerated arms"},
		{append(model, Verify), []Feature{Product, ManyArms}, "", "a model and direct comparisons need enumerated arms"},
		{[]Feature{Clicks}, []Feature{Segments, Intercepts}, "", "with random clicks the evidence does not use features"},
	}
}

// Violation returns the first features that an exclusion forbids together, and an error that says so. The
// error is nil if there are none.
func (e Exclusion) Violation(has map[Feature]bool) (of, with Feature, err error) {
	present := func(f Feature) bool { return has[f] }
	i, j := slices.IndexFunc(e.Of, present), slices.IndexFunc(e.With, present)
	if i < 0 || j < 0 || has[e.Unless] {
		return "", "", nil
	}
	return e.Of[i], e.With[j], fmt.Errorf("%s cannot be combined with %s: %s", e.Of[i], e.With[j], e.Why)
}
