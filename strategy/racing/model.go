package strategy

import (
	"errors"
	"fmt"
	"math"
)

// A Model says what picks may depend on besides a'θ, for the certified strategy. Whatever is
// named here is not assumed away: it is unknown, like θ, and a verdict holds whatever it is.
// That costs answers. The zero Model is the plain one.
type Model struct {
	// Slots gives every slot of the screen a constant in the utilities.
	Slots bool `json:"slots,omitempty"`

	// Intercepts gives every arm a constant, so that features share what is learned about one
	// arm with others, but do not decide. Without useful features this is the case without
	// structure.
	Intercepts bool `json:"intercepts,omitempty"`

	// Clicks lets an unknown share of the picks be at random. The evidence is then from direct
	// comparisons only: of two arms the better one is picked more often, however many click.
	Clicks bool `json:"clicks,omitempty"`

	// Segments gives every segment a θ of its own. The best arm is the one with the largest
	// mean utility, weighted by the shares.
	Segments []Segment `json:"segments,omitempty"`
}

// A Segment is a part of the population that answers name.
type Segment struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of the population; shares need not sum to 1
}

// check refuses a model that makes no sense.
func (m Model) check() error {
	names := map[string]bool{}
	for _, s := range m.Segments {
		if !(s.Share > 0) || math.IsInf(s.Share, 1) {
			return fmt.Errorf("strategy: segment %q has a share of %v", s.Name, s.Share)
		}
		if names[s.Name] {
			return fmt.Errorf("strategy: segment %q is named twice", s.Name)
		}
		names[s.Name] = true
	}
	switch {
	case len(m.Segments) == 1:
		return errors.New("strategy: one segment is no segment")
	case m.Clicks && len(m.Segments) > 0:
		return errors.New("strategy: segments do not go with clicks at random")
	case m.Clicks && m.Intercepts:
		return errors.New("strategy: with clicks at random the evidence does not use features; intercepts change nothing")
	}
	return nil
}

// shares are those of the segments, which sum to 1.
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

// CheckSegment returns an error unless answers may come from a segment.
func (m Model) CheckSegment(name string) error {
	_, err := m.segment(name)
	return err
}

// CheckImport returns an error unless answers to questions that were asked elsewhere can be
// counted.
func (m Model) CheckImport() error {
	if m.halfway() {
		return errors.New("strategy: where slots or clicks matter, arms must be shown in a random order, which nobody knows of answers recorded elsewhere")
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
	return 0, fmt.Errorf("strategy: there is no segment %q", name)
}
