package racing

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"bestpick/choice"
	"bestpick/strategy"
)

// A Model selects effects on picks besides a'θ. A selected effect is not assumed away: it is unknown, like θ, and the verdict
// holds for any value of it. That costs answers. The zero Model has no further effects.
type Model struct {
	// Slots adds a constant for every slot of the screen to the utilities (position effects).
	Slots bool `json:"slots,omitempty"`

	// Intercepts adds a constant for every arm. Features then transfer knowledge between arms, but
	// do not decide. Without useful features this is the unstructured case.
	Intercepts bool `json:"intercepts,omitempty"`

	// Clicks allows an unknown share of the picks to be random. The evidence then comes from direct
	// comparisons only: of two arms the better one is picked more often, for any share.
	Clicks bool `json:"clicks,omitempty"`

	// Segments gives every segment its own θ. The best arm is the one with the largest mean utility, weighted by the shares.
	// Under [strategy.Majority] every segment has a verdict of its own instead, and the shares do not matter.
	Segments []Segment `json:"segments,omitempty"`
}

// A Segment is a part of the population. Every answer names its segment.
type Segment struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of the population; shares need not sum to 1
}

// check returns an error for an inconsistent model.
func (m Model) check() error {
	names := map[string]bool{}
	for _, s := range m.Segments {
		if !(s.Share > 0) || math.IsInf(s.Share, 1) {
			return fmt.Errorf("the share of segment %q must be positive and finite, got %v", s.Name, s.Share)
		}
		if names[s.Name] {
			return fmt.Errorf("segment %q is repeated", s.Name)
		}
		names[s.Name] = true
	}
	if len(m.Segments) == 1 {
		return errors.New("there must be at least two segments, got 1")
	}
	return nil
}

// IsPlain reports whether picks depend on a'θ only.
func (m Model) IsPlain() bool {
	return !m.Slots && !m.Intercepts && !m.Clicks && len(m.Segments) == 0
}

// halfway reports whether duels can only decide which of two arms is better, not by how much.
//
// Let u be the utility of an arm, v ≤ u that of another, both shown in two slots in either order with equal probability, with any
// constants for the slots and any share of clicks at random. Then the first is picked at least as often as the second: with equal
// utilities the two orders mirror each other, and more utility means more picks in each. So a prediction that gives the first at
// most ½, and does not depend on the order, has an expectation of at most 1 over ½, and D(0) of [evidence.Duel] bounds the
// capital. The same holds if both are shown in m slots each: exchanging the two sets of slots mirrors the order.
func (m Model) halfway() bool { return m.Slots || m.Clicks }

// shares returns the shares of the segments, scaled to sum to 1.
func (m Model) shares() []float64 {
	total := 0.0
	for _, s := range m.Segments {
		total += s.Share
	}
	var shares []float64
	for _, s := range m.Segments {
		shares = append(shares, s.Share/total)
	}
	return shares
}

// CheckSegment returns an error if the model does not accept answers from a segment.
func (m Model) CheckSegment(name string) error {
	_, err := m.segment(name)
	return err
}

// CheckImport returns an error if the model does not accept answers to questions asked elsewhere.
func (m Model) CheckImport() error {
	if m.halfway() {
		return errors.New("a model with slots or clicks needs arms in a random order, which is unknown for answers recorded elsewhere")
	}
	return nil
}

// segment returns the number of a segment.
func (m Model) segment(name string) (int, error) {
	if len(m.Segments) == 0 {
		return 0, nil
	}
	for i, s := range m.Segments {
		if s.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no segment %q", name)
}

// falseMisfit is the probability that any arm is called a misfit where the model holds, at one check.
const falseMisfit = 0.01

// misfits returns the arms that were picked significantly more or less often than the plain model expects at θ. If the model
// holds, the number of picks of an arm is a sum of independent trials with known probabilities; the fit makes it vary less. The
// limits are those of a normal distribution, with a part of the error probability for each arm.
func (c *problem) misfits(tally *choice.Tally, theta []float64) []strategy.Misfit {
	if !c.settings.Model.IsPlain() || c.size.isMany(c.catalogue) {
		return nil
	}
	n := c.catalogue.Len()
	expected, variance, picked := make([]float64, n), make([]float64, n), make([]float64, n)
	var utilities, shares []float64
	for arms, wins := range tally.Questions() {
		utilities = c.rows.screen.Utilities(utilities, arms, theta)
		shares = choice.Probabilities(shares, utilities)
		asked := 0.0
		for _, w := range wins {
			asked += w
		}
		for i, row := range arms {
			arm, ok := c.rows.alternatives.Arm(row)
			if !ok {
				continue
			}
			picked[arm] += wins[i]
			expected[arm] += asked * shares[i]
			variance[arm] += asked * shares[i] * (1 - shares[i])
		}
	}
	var found []strategy.Misfit
	limit := distuv.UnitNormal.Quantile(1 - falseMisfit/(2*float64(n)))
	for arm := range n {
		if math.Abs(picked[arm]-expected[arm]) > limit*math.Sqrt(variance[arm])+0.5 {
			found = append(found, strategy.Misfit{Arm: arm, Picked: picked[arm], Expected: expected[arm]})
		}
	}
	return found
}
