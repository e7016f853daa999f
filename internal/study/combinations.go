package study

import (
	"fmt"
	"strings"

	"bestpick/choice"
	"bestpick/strategy/racing"
)

// The features of a study besides those of its race.
const (
	Ranking       racing.Feature = "picks above 1"
	PlainCards    racing.Feature = "plain_cards"
	WithdrawnArms racing.Feature = "withdrawn arms"
	AboutJudges   racing.Feature = "judges"
	NoContexts    racing.Feature = "no contexts"
)

// fieldOf returns the setting that a feature is part of, as in JSON, or "" for properties of the arms.
func fieldOf(f racing.Feature) string {
	switch f { //nolint:exhaustive // others are settings themselves
	case racing.Majority:
		return "assume"
	case racing.Slots, racing.Intercepts, racing.Clicks, racing.Segments:
		return "model"
	case Ranking:
		return "picks"
	case racing.Ranking, racing.TopOfSegments:
		return "top"
	case racing.PriorGiven, racing.Modelled, racing.Unsegmented, racing.Product, racing.ManyPairs,
		racing.ManyArms, WithdrawnArms, NoContexts:
		return ""
	}
	return string(f)
}

// features returns the features of the settings of a study with some arms. Without arms, only those of the settings.
func (s Settings) features(arms *choice.Catalogue) map[racing.Feature]bool {
	has := s.Strategy.Features(arms)
	has[Ranking], has[PlainCards], has[AboutJudges] = s.Picks > 1, s.HideAttributes, s.Judges
	return has
}

// Exclusions returns all combinations of features that a study cannot have: those of a race, and more.
func Exclusions() []racing.Exclusion {
	type features = []racing.Feature
	return append([]racing.Exclusion{
		{Of: features{racing.BestWorst}, With: features{Ranking}, Why: "the answer is the best and the worst arm"},
		{
			Of: features{PlainCards}, With: features{racing.Product},
			Why: "plain cards hide attributes, and profiles of a product have nothing else to show",
		},
		{Of: features{racing.Clicks}, With: features{WithdrawnArms}, Why: "with random clicks in the model, no arm can be withdrawn"},
		{
			Of: features{AboutJudges}, With: features{NoContexts},
			Why: "a verdict about judges is about the mix of contexts",
		},
		{
			Of: features{racing.Fakes, racing.Weighted}, With: features{AboutJudges},
			Why: "a verdict about judges is about the people who answer, and each answer is an observation",
		},
	}, racing.Exclusions()...)
}

// A FieldError is the problem of a field of an input.
type FieldError struct {
	Field   string // as in JSON, such as settings.k
	Kind    FieldProblem
	Message string
	Limit   Limit // with OutOfRange and TooLong

	Of, With racing.Feature // with Excluded
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
func (s Settings) Check(arms *choice.Catalogue, withdrawn int, contexts bool) FieldErrors {
	var found FieldErrors
	for _, l := range s.limits(arms, withdrawn) {
		x := s.number(l.Field)
		if none := l.Field == "grace_seconds" && x < 0; none {
			continue
		}
		if !(x >= l.Min && x <= l.Max) || l.Open && x == l.Max {
			found = append(found, FieldError{
				Field: SettingsField + l.Field, Kind: OutOfRange, Limit: l,
				Message: fmt.Sprintf("%s must be %v, got %s", l.Field, l, inWords(x)),
			})
		}
	}
	if found != nil {
		return found
	}
	has := s.features(arms)
	has[WithdrawnArms], has[NoContexts] = withdrawn > 0, !contexts
	for _, e := range Exclusions() {
		if of, with, err := e.Violation(has); err != nil {
			field := strings.TrimSuffix(SettingsField+fieldOf(of), ".")
			found = append(found, FieldError{Field: field, Kind: Excluded, Message: err.Error(), Of: of, With: with})
		}
	}
	return found
}
