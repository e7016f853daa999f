package study

import (
	"fmt"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/strategy"
)

// A Feature is a choice in the settings, or a property of the arms, that excludes others.
type Feature string

// The features.
const (
	Majority   Feature = "majority" // a value of assume
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
	Ranking    Feature = "picks above 1"
	PlainCards Feature = "plain_cards"

	Product       Feature = "a product"
	ManyPairs     Feature = "more than 512 arms"
	ManyArms      Feature = "more than 4,096 arms"
	WithdrawnArms Feature = "withdrawn arms"
)

// field returns the setting that a feature is part of, as in JSON, or "" for properties of the arms.
func (f Feature) field() string {
	switch f { //nolint:exhaustive // others are settings themselves
	case Majority:
		return "assume"
	case Slots, Intercepts, Clicks, Segments:
		return "model"
	case Ranking:
		return "picks"
	case PriorGiven, Product, ManyPairs, ManyArms, WithdrawnArms:
		return ""
	}
	return string(f)
}

// features returns the features of the settings of a study with some arms. Without arms, only those of
// the settings.
func (s Settings) features(arms *choice.Catalogue, withdrawn int) map[Feature]bool {
	r := s.Strategy
	has := map[Feature]bool{
		Majority: r.Assume == strategy.Majority, Fallback: r.Fallback > 0, Verify: r.Verify > 0, Top: r.Top != 0,
		PriorGiven: r.Prior != nil,
		Slots:      r.Model.Slots, Intercepts: r.Model.Intercepts, Clicks: r.Model.Clicks, Segments: len(r.Model.Segments) > 0,
		Outside: r.Offer.Outside, Ties: r.Offer.Ties, BestWorst: r.Offer.BestWorst, Ranking: s.Picks > 1, PlainCards: s.HideAttributes,
		WithdrawnArms: withdrawn > 0,
	}
	if arms != nil {
		has[Product], has[ManyPairs], has[ManyArms] = arms.Product() != nil, arms.Len() > MaxTop+1, arms.Len() > maxEnumerated
	}
	return has
}

// An Exclusion says that none of some features can be combined with any of others.
type Exclusion struct {
	Of, With []Feature
	Unless   Feature // with this feature the others can be combined; empty for never
	Why      string
}

// Exclusions returns all combinations of features that a study cannot have.
func Exclusions() []Exclusion {
	model := []Feature{Slots, Intercepts, Clicks, Segments}
	offers := []Feature{Outside, Ties, BestWorst}
	return []Exclusion{
		{[]Feature{BestWorst}, []Feature{Ranking}, "", "the answer is the best and the worst arm"},
		{
			[]Feature{PlainCards},
			[]Feature{Product},
			"",
			"plain cards hide attributes, and profiles of a product have nothing else to show",
		},
		{[]Feature{Clicks}, []Feature{WithdrawnArms}, "", "with random clicks in the model, no arm can be withdrawn"},
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

// violated returns the first features that an exclusion forbids together, and whether there are any.
func (e Exclusion) violated(has map[Feature]bool) (of, with Feature, is bool) {
	present := func(f Feature) bool { return has[f] }
	i, j := slices.IndexFunc(e.Of, present), slices.IndexFunc(e.With, present)
	if i < 0 || j < 0 || has[e.Unless] {
		return "", "", false
	}
	return e.Of[i], e.With[j], true
}

// Excluding returns the feature that rules out adding another to the settings of a study with some
// arms, or "" if it can be added.
func (s Settings) Excluding(f Feature, arms *choice.Catalogue) Feature {
	has := s.features(arms, 0)
	has[f] = true
	for _, e := range Exclusions() {
		if of, with, is := e.only(f).violated(has); is {
			if of == f {
				return with
			}
			return of
		}
	}
	return ""
}

// only returns the part of an exclusion that is about one feature.
func (e Exclusion) only(f Feature) Exclusion {
	switch {
	case slices.Contains(e.Of, f):
		e.Of = []Feature{f}
	case slices.Contains(e.With, f):
		e.With = []Feature{f}
	default:
		e.Of = nil
	}
	return e
}

// A FieldError is the problem of a field of an input.
type FieldError struct {
	Field   string // as in JSON, such as settings.k
	Kind    FieldProblem
	Message string
	Limit   Limit // with OutOfRange and TooLong
}

// SettingsField precedes the names of settings in the names of fields.
const SettingsField = "settings."

// A FieldProblem is a kind of problem of a field.
type FieldProblem string

// The kinds of problems.
const (
	Unreadable FieldProblem = "unreadable" // the text has the wrong form
	Missing    FieldProblem = "missing"
	OutOfRange FieldProblem = "range"
	TooLong    FieldProblem = "long"
	NotText    FieldProblem = "text"     // stores cannot keep it
	Excluded   FieldProblem = "excluded" // other settings or the arms exclude it
	Past       FieldProblem = "past"
)

// FieldErrors are the problems of an input. As an error it is that of the first field.
type FieldErrors []FieldError

func (e FieldErrors) Error() string { return e[0].Field + ": " + e[0].Message }

// Unwrap returns the error of the first field, with CodeInvalid.
func (e FieldErrors) Unwrap() error { return Invalid(e[0].Field, e[0].Message) }

// Check returns the problems of the settings of a study with some arms, after [Settings.WithDefaults].
// Without arms it checks only what does not depend on them. It returns nil if there is no problem.
func (s Settings) Check(arms *choice.Catalogue, withdrawn int) FieldErrors {
	var found FieldErrors
	for _, l := range s.limits(arms, withdrawn) {
		x := s.number(l.Field)
		if none := l.Field == "grace_seconds" && x < 0; none {
			continue
		}
		if !(x >= l.Min && x <= l.Max) || l.Open && x == l.Max {
			found = append(found, FieldError{
				SettingsField + l.Field, OutOfRange,
				fmt.Sprintf("%s must be %v, got %s", l.Field, l, inWords(x)), l,
			})
		}
	}
	if found != nil {
		return found
	}
	has := s.features(arms, withdrawn)
	for _, e := range Exclusions() {
		if of, with, is := e.violated(has); is {
			field := strings.TrimSuffix(SettingsField+of.field(), ".")
			found = append(found, FieldError{
				Field: field, Kind: Excluded,
				Message: fmt.Sprintf("%s cannot be combined with %s: %s", of, with, e.Why),
			})
		}
	}
	return found
}
