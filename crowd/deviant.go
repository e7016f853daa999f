package crowd

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// Inattentive answers at random with some probability, and like another respondent otherwise.
type Inattentive struct {
	Share float64 // of answers at random
	Other Respondent
	Rng   *rand.Rand
	order []int
}

// Pick returns the slots picked.
func (i *Inattentive) Pick(q choice.Question, picks int) []int {
	if i.Rng.Float64() >= i.Share {
		return i.Other.Pick(q, picks)
	}
	i.order = i.order[:0]
	for slot := range q {
		i.order = append(i.order, slot)
	}
	i.Rng.Shuffle(len(i.order), func(a, b int) { i.order[a], i.order[b] = i.order[b], i.order[a] })
	return i.order[:picks]
}

// Adjusted has utilities that depend on more than the arm: Adjust changes the utilities a'θ of a
// question before the noise is added.
type Adjusted struct {
	Catalogue *choice.Catalogue
	Theta     []float64
	Adjust    func(q choice.Question, utilities []float64)
	Noise     Noise
	Rng       *rand.Rand
	utilities []float64
	picks     []int
}

// Pick returns the slots picked.
func (a *Adjusted) Pick(q choice.Question, picks int) []int {
	a.utilities = a.Catalogue.Utilities(a.utilities, q, a.Theta)
	a.Adjust(q, a.utilities)
	for slot := range a.utilities {
		a.utilities[slot] += a.Noise(a.Rng)
	}
	a.picks = best(a.picks[:0], a.utilities, picks)
	return a.picks
}

// FavourSlots adds bias[slot] to the utility of the arm in that slot. Slots beyond bias are unchanged.
func FavourSlots(bias ...float64) func(choice.Question, []float64) {
	return func(_ choice.Question, utilities []float64) {
		for slot := range min(len(bias), len(utilities)) {
			utilities[slot] += bias[slot]
		}
	}
}

// FavourArm adds a constant to the utility of an arm.
func FavourArm(arm int, by float64) func(choice.Question, []float64) {
	return func(q choice.Question, utilities []float64) {
		for slot, shown := range q {
			if shown == arm {
				utilities[slot] += by
			}
		}
	}
}

// Decoyed adds a constant to the utility of a target when a decoy is shown with it.
func Decoyed(target, decoy int, by float64) func(choice.Question, []float64) {
	favour := FavourArm(target, by)
	return func(q choice.Question, utilities []float64) {
		if slices.Contains(q, decoy) {
			favour(q, utilities)
		}
	}
}

// Changing answers like Before for the first At answers, and like After from then on.
type Changing struct {
	Before, After Respondent
	At            int // answers
	answers       int
}

// Pick returns the slots picked.
func (c *Changing) Pick(q choice.Question, picks int) []int {
	if c.answers++; c.answers <= c.At {
		return c.Before.Pick(q, picks)
	}
	return c.After.Pick(q, picks)
}

// People is a sequence of respondents who each answer Each questions. Join makes the n-th
// respondent. The segment is drawn at random from Segments, if there are any.
type People struct {
	Each     int // answers
	Segments []string
	Join     func(n, segment int) Respondent
	Rng      *rand.Rand // needed for segments
	met      int
	left     int // answers of the present respondent
	segment  int
	now      Respondent
}

// Arrive brings the next respondent, who is the present one from now on.
func (p *People) Arrive() Respondent {
	if len(p.Segments) > 0 {
		p.segment = p.Rng.IntN(len(p.Segments))
	}
	p.now = p.Join(p.met, p.segment)
	p.met++
	p.left = p.Each
	return p.now
}

// Pick returns the slots picked by the present respondent, or by the next one after Each answers.
func (p *People) Pick(q choice.Question, picks int) []int {
	if p.left == 0 {
		p.Arrive()
	}
	p.left--
	return p.now.Pick(q, picks)
}

// Name returns the name of the present respondent.
func (p *People) Name() string { return fmt.Sprint("r", p.met) }

// Segment returns the segment of the present respondent, empty without segments.
func (p *People) Segment() string {
	if len(p.Segments) == 0 {
		return ""
	}
	return p.Segments[p.segment]
}

// Habits are how a respondent behaves, apart from what they choose. The zero value answers everything at the usual pace.
type Habits struct {
	Pace float64                    // time for an answer, as a multiple of the usual one; 0 is 1
	Stay int                        // answers after which they leave; 0 is never
	Skip func(choice.Question) bool // whether they skip a question; nil is never
}

// A Habitual respondent has habits.
type Habitual struct {
	Respondent
	Habits
}
