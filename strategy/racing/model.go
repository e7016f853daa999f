package racing

import (
	"errors"
	"fmt"
	"math"
)

// A Model says what picks may depend on besides a'θ. An effect named here is not assumed away: it
// is unknown, like θ, and the verdict holds whatever it is. That costs answers. The zero Model is
// the plain one.
type Model struct {
	// Slots adds a constant for every slot of the screen to the utilities (position effects).
	Slots bool `json:"slots,omitempty"`

	// Intercepts adds a constant for every arm. Features then share what is learned about one arm
	// with others, but do not decide. Without useful features this is the unstructured case.
	Intercepts bool `json:"intercepts,omitempty"`

	// Clicks lets an unknown share of the picks be random. The evidence then comes from direct
	// comparisons only: of two arms the better one is picked more often, whatever that share is.
	Clicks bool `json:"clicks,omitempty"`

	// Segments gives every segment its own θ. The best arm is the one with the largest mean
	// utility, weighted by the shares.
	Segments []Segment `json:"segments,omitempty"`
}

// A Segment is a part of the population. Answers name theirs.
type Segment struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of the population; shares need not sum to 1
}

// check returns an error for a model that contradicts itself.
func (m Model) check() error {
	names := map[string]bool{}
	for _, s := range m.Segments {
		if !(s.Share > 0) || math.IsInf(s.Share, 1) {
			return fmt.Errorf("segment %q has a share of %v", s.Name, s.Share)
		}
		if names[s.Name] {
			return fmt.Errorf("segment %q is named twice", s.Name)
		}
		names[s.Name] = true
	}
	switch {
	case len(m.Segments) == 1:
		return errors.New("one segment is no segment")
	case m.Clicks && len(m.Segments) > 0:
		return errors.New("segments do not go with clicks at random")
	case m.Clicks && m.Intercepts:
		return errors.New("with clicks at random the evidence does not use features; intercepts change nothing")
	}
	return nil
}

// plain reports whether picks depend on a'θ only.
func (m Model) plain() bool {
	return !m.Slots && !m.Intercepts && !m.Clicks && len(m.Segments) == 0
}

// halfway reports whether duels can only tell which of two arms is better, not by how much.
//
// Let u be the utility of an arm, v ≤ u that of another, both shown in two slots in either
// order with equal probability, with any constants for the slots and any share of clicks at
// random. Then the first is picked at least as often as the second: with equal utilities the
// two orders mirror each other, and more utility means more picks in each. So a prediction
// that gives the first at most ½, and does not depend on the order, has an expectation of at
// most 1 over ½, and D(0) of [evidence.Duel] bounds the capital. The same holds where both are
// shown in m slots each: exchanging the two sets of slots mirrors the order.
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

// CheckSegment returns an error unless the model accepts answers from a segment.
func (m Model) CheckSegment(name string) error {
	_, err := m.segment(name)
	return err
}

// CheckImport returns an error unless the model accepts answers to questions asked elsewhere.
func (m Model) CheckImport() error {
	if m.halfway() {
		return errors.New("where slots or clicks matter, arms must be shown in a random order, which is unknown for answers recorded elsewhere")
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
