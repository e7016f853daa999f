package racing

import (
	"fmt"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
	"bestpick/strategy/majority"
)

// Settings configures the strategy. The zero value has every default.
type Settings struct {
	// K is the number of arms in a question. Defaults to 3.
	K int `json:"k"`

	// Delta is the largest probability of certifying a wrong arm. Defaults to 0.05.
	Delta float64 `json:"delta"`

	// Epsilon is the largest lead in utility of any arm over the certified one. Defaults to 0.
	Epsilon float64 `json:"epsilon,omitempty"`

	// LookEvery is the number of answers between two looks, as a share of the answers so far.
	// Defaults to 1/64; -1 looks after every answer.
	LookEvery float64 `json:"look_every,omitempty"`

	// Model selects effects on picks besides the features. Defaults to none.
	Model Model `json:"model,omitzero"`

	// Offer is what respondents may answer besides picks and rankings. Defaults to nothing else. Under
	// [strategy.Majority] only picks of the best arm count.
	Offer choice.Offer `json:"offer,omitzero"`

	// Assume is what the certificate rests on. Defaults to [strategy.Linear]. Under
	// [strategy.Majority] the model only guides the choice of questions.
	Assume strategy.Assumption `json:"assume,omitempty"`

	// Fakes is how many of the people may be fake, whatever they answer, without making a certificate by
	// majority wrong with a larger probability. Defaults to 0; new studies have [DefaultFakes].
	Fakes int `json:"fakes,omitempty"`

	// Weighted says that the verdict is about a population with the shares of Model.Segments, and not about people in the
	// proportions in which they come. Only under [strategy.Majority]. Defaults to false.
	Weighted bool `json:"weighted,omitempty"`

	// Top is the number of best arms to certify together, or [TopAll] for a ranking of all arms: no arm
	// is better than one ranked above it by more than Epsilon, where the arms among the best, and the
	// others, are not ranked. For at most 512 arms. Defaults to the single best arm.
	Top int `json:"top,omitempty"`

	LinearOnly //nolint:embeddedstructfieldcheck // logs have the fields in this order

	// Seed makes the random choices repeatable. Defaults to 0.
	Seed uint64 `json:"seed"`
}

// LinearOnly has the settings that a race under [strategy.Majority] cannot have.
type LinearOnly struct {
	// Budget is the number of answers after which the race will end. Where it does not suffice for
	// Epsilon, questions aim at the smallest ε that it can certify ([Linear.CertifiedEpsilon]). The
	// evidence is valid at any other number of answers, too. Defaults to 0, no budget.
	Budget int `json:"budget,omitempty"`

	// Verify is how much of an arm's utility the features may miss without the strategy noticing: before it stops, it compares
	// the leader directly with arms that are near it, which costs answers. Defaults to 0, no direct comparisons.
	Verify float64 `json:"verify,omitempty"`

	// Fallback is the share of Delta that a linear race keeps for majority evidence, which it then
	// collects from the start. When the answers refute the linear model, the race continues under
	// [strategy.Majority] instead of ending. Defaults to 0, no fallback.
	Fallback float64 `json:"fallback,omitempty"`

	// Prior summarises choices recorded elsewhere. They inform questions and predictions but are no
	// evidence. Defaults to none. It must not depend on answers of this race.
	Prior *Prior `json:"prior,omitempty"`
}

// The largest differences in utility that can be set.
const (
	MaxEpsilon = evidence.MaxSpread
	MaxVerify  = evidence.MaxSpread
)

// TopAll is the value of Settings.Top for a ranking of all arms, which majority evidence cannot certify.
const TopAll = -1

// lookSizes has the number of arms up to which a look compares all of them, and the numbers of arms it compares beyond.
type lookSizes struct {
	few      int
	doubtful int // the most doubtful arms
	random   int // arms drawn from all that are not eliminated
}

func defaultLookSizes() lookSizes { return lookSizes{few: 4096, doubtful: 256, random: 16} }

// isMany reports whether a look compares only some of the arms.
func (s lookSizes) isMany(c *choice.Catalogue) bool { return c.Product() != nil || c.Len() > s.few }

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

// Check returns an error if the strategy cannot run on the arms of a catalogue with these settings after [Settings.WithDefaults].
func (s Settings) Check(c *choice.Catalogue) error { return s.check(c, defaultLookSizes()) }

func (s Settings) check(c *choice.Catalogue, size lookSizes) error {
	if err := survey.CheckTerms(c, s.K, s.Delta, s.Epsilon, s.LookEvery); err != nil {
		return err
	}
	if err := s.Assume.Check(); err != nil {
		return err
	}
	switch {
	case s.Budget < 0 || s.Budget > 0 && s.Assume == strategy.Majority:
		return fmt.Errorf("the budget must be at least 0, and 0 under %s, got %d", strategy.Majority, s.Budget)
	case !(s.Fallback >= 0 && s.Fallback < 1):
		return fmt.Errorf("the share for the fallback must be at least 0 and less than 1, got %v", s.Fallback)
	case s.Fakes < 0 || s.Fakes > majority.MaxFakes:
		return fmt.Errorf("the number of fakes must be 0 to %d, got %d", majority.MaxFakes, s.Fakes)
	case !(s.Verify >= 0 && s.Verify <= MaxVerify):
		return fmt.Errorf("the appeal to verify must lie between 0 and %v, got %v", MaxVerify, s.Verify)
	case s.Top < TopAll || s.Top >= c.Len():
		return fmt.Errorf( //nolint:staticcheck // Top is a field
			"Top must be %d for a ranking of all arms, or at least 1 and less than the number of arms, got %d of %d arms",
			TopAll, s.Top, c.Len())
	}
	has := s.features(c, size)
	for _, e := range Exclusions() {
		if _, _, err := e.Violation(has); err != nil {
			return err
		}
	}
	if s.Prior != nil {
		if err := s.Prior.check(c.Dim()); err != nil {
			return err
		}
	}
	if s.Assume == strategy.Majority && s.Top > 0 {
		if err := majority.CheckTop(c.Len(), s.Top, s.K); err != nil {
			return err
		}
	}
	if err := s.Offer.CheckQuestions(c.Len(), s.K); err != nil {
		return err
	}
	return s.Model.check()
}

// CountsPeople reports whether the race collects majority evidence.
func (s Settings) CountsPeople() bool { return s.Assume == strategy.Majority || s.Fallback > 0 }

// majority returns the settings of a majority race, or of the majority evidence for a fallback.
func (s Settings) majority() majority.Settings {
	m := majority.Settings{
		K: s.K, Delta: s.Delta, Share: s.Fallback, Epsilon: s.Epsilon, LookEvery: s.LookEvery, Offer: s.Offer, Seed: s.Seed,
		Fakes: s.Fakes, Top: s.Top,
	}
	for _, segment := range s.Model.Segments {
		m.Segments = append(m.Segments, segment.Name)
		if s.Weighted {
			m.Weights = append(m.Weights, segment.Share)
		}
	}
	return m
}

// A Feature is a choice in the settings, or a property of the arms, that excludes others.
type Feature string

// The features.
const (
	Majority   Feature = "majority" // a value of Assume
	Fallback   Feature = "fallback"
	Verify     Feature = "verify"
	Top        Feature = "top"
	Fakes      Feature = "fakes"
	Weighted   Feature = "weighted"
	PriorGiven Feature = "prior"
	Slots      Feature = "slots"
	Intercepts Feature = "intercepts"
	Clicks     Feature = "clicks"
	Segments   Feature = "segments"
	Outside    Feature = "outside"
	Ties       Feature = "ties"
	BestWorst  Feature = "best_worst"

	Ranking       Feature = "a ranking"         // a value of Top
	TopOfSegments Feature = "top with segments" // both
	Modelled      Feature = "linear without a fallback"
	Unsegmented   Feature = "no segments"
	Product       Feature = "a product"
	ManyPairs     Feature = "more than 512 arms"
	ManyArms      Feature = "more than 4,096 arms"
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
		Ranking: s.Top == TopAll, TopOfSegments: s.Top != 0 && len(m.Segments) > 0,
		PriorGiven: s.Prior != nil, Fakes: s.Fakes > 0, Modelled: !s.CountsPeople(), Weighted: s.Weighted,
		Unsegmented: len(m.Segments) == 0, Slots: m.Slots, Intercepts: m.Intercepts, Clicks: m.Clicks, Segments: len(m.Segments) > 0,
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
		{[]Feature{Top}, []Feature{Fallback}, "", "a fallback certifies one arm"},
		{
			[]Feature{Ranking, TopOfSegments},
			[]Feature{Majority},
			"",
			"majority evidence certifies a few best arms, and one of segments",
		},
		{[]Feature{Top}, []Feature{Verify, Clicks}, "", "direct comparisons and random clicks compare arms with the leader only"},
		{[]Feature{Top}, []Feature{Product, ManyPairs}, "", "a ranking needs pairs of arms one by one"},
		{[]Feature{PriorGiven}, []Feature{Majority, Fallback}, "", "recorded choices are not answers of the people who are asked"},
		{[]Feature{PriorGiven}, []Feature{Segments}, "", "recorded choices do not distinguish segments"},
		{[]Feature{PriorGiven}, []Feature{Product, ManyArms}, "", "a prior needs enumerated arms"},
		{[]Feature{Fallback, Verify}, []Feature{Majority}, "", "under majority there is nothing to fall back to or to verify"},
		{[]Feature{Majority, Fallback}, []Feature{Slots, Intercepts, Clicks}, "", "majority evidence needs no model of these effects"},
		{[]Feature{Fallback}, []Feature{Segments}, "", "majority evidence of a fallback does not distinguish segments"},
		{[]Feature{Majority, Fallback}, []Feature{Product, ManyPairs}, "", "majority evidence compares every arm with the leader"},
		{[]Feature{Fakes, Weighted}, []Feature{Modelled}, "", "evidence about utilities does not count people"},
		{[]Feature{Weighted}, []Feature{Unsegmented}, "", "weights are the shares of segments"},
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
