package majority

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
)

// The limits of a race.
const (
	MaxArms  = 512 // the number of arms that can be compared with the leader one by one
	MaxFakes = 50  // the largest number of people who may be fake
)

// Settings configures a race. The zero value has every default.
type Settings struct {
	// K is the number of arms in a question. Defaults to 3.
	K int `json:"k"`

	// Delta is the largest probability of certifying a wrong arm. Defaults to 0.05.
	Delta float64 `json:"delta"`

	// Share is the part of Delta that this race may use, where another race about the same arms has the rest. Defaults to 1.
	Share float64 `json:"share,omitempty"`

	// Epsilon is the tolerance, as a lead in utility of two arms: at most [evidence.Points] of it above
	// half of the people may choose another arm over the certified one. Defaults to 0.
	Epsilon float64 `json:"epsilon,omitempty"`

	// Fakes is how many of the people may be fake, whatever they answer, without making a certificate wrong with a
	// larger probability. At most [MaxFakes]. Defaults to 0.
	Fakes int `json:"fakes,omitempty"`

	// Top is the number of best arms to certify together: at most [evidence.Points] of Epsilon above half of the
	// people choose any other arm over one of them. Not with Segments. Defaults to 1.
	Top int `json:"top,omitempty"`

	// LookEvery is the number of answers between two looks, as a share of the answers so far.
	// Defaults to 1/64; -1 looks after every answer.
	LookEvery float64 `json:"look_every,omitempty"`

	// Offer is what respondents may answer besides picks and rankings. Only picks of the best arm count.
	// Defaults to nothing else.
	Offer choice.Offer `json:"offer,omitzero"`

	// Segments are the names of parts of the population. Each has a verdict, and every answer names its
	// segment. Defaults to none.
	Segments []string `json:"segments,omitempty"`

	// Weights are the shares of the segments in the population that the verdict is about, one for each segment, where
	// those among the respondents may be others. They need not sum to 1. Defaults to none: the verdict is about people
	// in the proportions in which they come.
	Weights []float64 `json:"weights,omitempty"`

	// Seed makes the random choices repeatable. Defaults to 0.
	Seed uint64 `json:"seed"`
}

// WithDefaults returns the settings with every zero field at its default.
func (s Settings) WithDefaults() Settings {
	if s.K == 0 {
		s.K = 3
	}
	if s.Delta == 0 {
		s.Delta = 0.05
	}
	if s.Share == 0 {
		s.Share = 1
	}
	return s
}

// Check returns an error if the race cannot run on the arms of a catalogue with these settings after [Settings.WithDefaults].
func (s Settings) Check(c *choice.Catalogue) error {
	if err := survey.CheckTerms(c, s.K, s.Delta, s.Epsilon, s.LookEvery); err != nil {
		return err
	}
	if !(s.Share > 0 && s.Share <= 1) {
		return fmt.Errorf("the share of δ must be more than 0 and at most 1, got %v", s.Share)
	}
	if s.Fakes < 0 || s.Fakes > MaxFakes {
		return fmt.Errorf("the number of fakes must be 0 to %d, got %d", MaxFakes, s.Fakes)
	}
	if err := CheckArms(c); err != nil {
		return err
	}
	if err := CheckTop(c.Len(), max(s.Top, 1), s.K); err != nil {
		return err
	}
	if s.Top > 1 && len(s.Segments) > 0 {
		return errors.New("with segments one arm is certified, not several")
	}
	if len(s.Segments) == 1 {
		return errors.New("there must be at least two segments, got 1")
	}
	for i, name := range s.Segments {
		if slices.Contains(s.Segments[:i], name) {
			return fmt.Errorf("segment %q is repeated", name)
		}
	}
	if s.Weights != nil && len(s.Weights) != len(s.Segments) {
		return fmt.Errorf("there must be a weight for each of %d segments, got %d", len(s.Segments), len(s.Weights))
	}
	for _, w := range s.Weights {
		if !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("weights must be positive and finite, got %v", w)
		}
	}
	return s.Offer.CheckQuestions(c.Len(), s.K)
}

// CheckArms returns an error if there can be no majority evidence about the arms of a catalogue.
func CheckArms(c *choice.Catalogue) error {
	if c.Product() != nil || c.Len() > MaxArms {
		return fmt.Errorf("majority evidence compares every arm with the leader, so at most %d arms, and no product", MaxArms)
	}
	return nil
}

// CheckTop returns an error if the given number of best arms cannot be certified together with questions of k arms.
func CheckTop(arms, top, k int) error {
	if top < 1 || arms-(top-1) < k {
		return fmt.Errorf("questions have %d arms, so of %d arms the best 1 to %d can be certified together, got %d",
			k, arms, max(arms-k+1, 1), top)
	}
	return nil
}

// numberOf returns the number of a segment, 0 without segments.
func (s Settings) numberOf(name string) (int, error) {
	if len(s.Segments) == 0 {
		return 0, nil
	}
	if at := slices.Index(s.Segments, name); at >= 0 {
		return at, nil
	}
	return 0, fmt.Errorf("there is no segment %q", name)
}

// arms are the subject of a race: which arms, and what is sought.
type arms struct {
	catalogue  *choice.Catalogue
	withdrawn  []int
	k          int
	placed     []int   // the best arms, as far as they are elected
	top        int     // how many are sought
	delta      float64 // of the majority evidence about each of them
	studyDelta float64 // to which reported evidence refers
	epsilon    float64 // as a lead in utility
	levels     []evidence.Level
	half       int // the level of ½ with stakes for it
	strata     evidence.Stratification
	number     func(segment string) (int, error)
}

func newArms(c *choice.Catalogue, s Settings) arms {
	a := arms{
		catalogue: c, k: s.K, top: max(s.Top, 1), delta: s.Delta * s.Share / float64(max(s.Top, 1)), studyDelta: s.Delta,
		epsilon: s.Epsilon, levels: evidence.Levels(evidence.Points(s.Epsilon), s.Fakes),
		number: s.numberOf,
	}
	a.half = slices.IndexFunc(a.levels, func(l evidence.Level) bool { return l.Share == 0.5 && l.Predicted && !l.Opposite })
	for _, w := range s.Weights {
		a.strata.Weights = append(a.strata.Weights, w/floats.Sum(s.Weights))
	}
	a.strata.Levels, a.strata.Cells = a.levels, evidence.Cells(s.Fakes)
	return a
}

func (a *arms) isWithdrawn(arm int) bool { return slices.Contains(a.withdrawn, arm) }

// isOut reports whether an arm is not sought: it is withdrawn, or among the best already.
func (a *arms) isOut(arm int) bool { return a.isWithdrawn(arm) || slices.Contains(a.placed, arm) }

// isLast reports whether one arm more is sought.
func (a *arms) isLast() bool { return len(a.placed)+1 == a.top }

// present returns the arms that are not withdrawn.
func (a *arms) present() []int {
	var all []int
	for arm := range a.catalogue.Len() {
		if !a.isWithdrawn(arm) {
			all = append(all, arm)
		}
	}
	return all
}

// showAll reports whether every question of K arms, more than two, shows all that are present.
func (a *arms) showAll() bool { return a.k > 2 && a.k >= len(a.present()) }

// points is ε as a share of people.
func (a *arms) points() float64 { return evidence.Points(a.epsilon) }

// leads returns the leads of an arm over all others by a belief, of the best one for [survey.OpenLeader].
func (a *arms) leads(rows *choice.Catalogue, b *evidence.Belief, leader int) survey.Leads {
	return survey.NewLeads(rows, b, a.epsilon, leader, a.isOut, func(int) bool { return true })
}
