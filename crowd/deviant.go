package crowd

import (
	"math/rand/v2"

	"bestpick/choice"
)

// Inattentive answers at random with some probability, and like another respondent
// otherwise.
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

// Biased favours slots of the screen: Bias[slot] is added to the utility of whatever
// is shown there, before the noise. Slots beyond Bias get nothing.
type Biased struct {
	Catalogue *choice.Catalogue
	Theta     []float64
	Bias      []float64
	Noise     Noise
	Rng       *rand.Rand
	utilities []float64
	picks     []int
}

// Pick returns the slots picked.
func (b *Biased) Pick(q choice.Question, picks int) []int {
	b.utilities = b.Catalogue.Utilities(b.utilities, q, b.Theta)
	for slot := range b.utilities {
		if slot < len(b.Bias) {
			b.utilities[slot] += b.Bias[slot]
		}
		b.utilities[slot] += b.Noise(b.Rng)
	}
	b.picks = best(b.picks[:0], b.utilities, picks)
	return b.picks
}

// Mixture is several kinds of people: every answer comes from one of them, drawn
// with the given weights.
type Mixture struct {
	Members []Respondent
	Weights []float64 // need not sum to one
	Rng     *rand.Rand
}

// Pick returns the slots picked by one of the members.
func (m *Mixture) Pick(q choice.Question, picks int) []int {
	total := 0.0
	for _, w := range m.Weights {
		total += w
	}
	left := m.Rng.Float64() * total
	for i, w := range m.Weights {
		if left -= w; left < 0 {
			return m.Members[i].Pick(q, picks)
		}
	}
	return m.Members[len(m.Members)-1].Pick(q, picks)
}
