// Package crowd simulates respondents, to test strategies without people: [NewMNL] follows the model,
// and others, such as [Inattentive] or [Adjusted], violate it. [Drawn] draws people who differ from a
// [Population].
package crowd

import (
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// A Respondent answers questions. It is not safe for concurrent use.
type Respondent interface {
	// Pick returns the slots picked in answer to a question, best first: as many as picks says.
	Pick(question choice.Question, picks int) []int
}

// Answer returns the answer of a respondent, with the name and segment of respondents that have them,
// as [People] do.
func Answer(r Respondent, question choice.Question, picks int) choice.Answer {
	a := choice.Answer{Question: question, Picks: r.Pick(question, picks)}
	if people, ok := r.(*People); ok {
		a.Respondent, a.Segment = people.Name(), people.Segment()
	}
	return a
}

// A Noise draws the random part of one utility.
type Noise func(rng *rand.Rand) float64

// Gumbel noise makes softmax picks: the multinomial logit.
func Gumbel(rng *rand.Rand) float64 { return choice.Gumbel(rng) }

// Gaussian noise of standard deviation sigma makes the random utility model of the
// paper's robustness experiment (Section 5.3): not a softmax, but close.
func Gaussian(sigma float64) Noise {
	return func(rng *rand.Rand) float64 { return sigma * rng.NormFloat64() }
}

// RandomUtility picks the largest of utility plus noise, and ranks likewise.
type RandomUtility struct {
	catalogue *choice.Catalogue
	theta     []float64
	noise     Noise
	rng       *rand.Rand
	utilities []float64
	picks     []int
}

// NewMNL returns a respondent who picks by the softmax of a'θ.
func NewMNL(c *choice.Catalogue, theta []float64, rng *rand.Rand) *RandomUtility {
	return NewRandomUtility(c, theta, Gumbel, rng)
}

// NewRandomUtility returns a respondent with utilities a'θ plus noise.
func NewRandomUtility(c *choice.Catalogue, theta []float64, noise Noise, rng *rand.Rand) *RandomUtility {
	if len(theta) != c.Dim() {
		panic("crowd: θ has the wrong length")
	}
	return &RandomUtility{catalogue: c, theta: theta, noise: noise, rng: rng}
}

// Pick returns the best slots. The slice is valid until the next call.
func (r *RandomUtility) Pick(q choice.Question, picks int) []int {
	r.utilities = r.catalogue.Utilities(r.utilities, q, r.theta)
	for slot := range r.utilities {
		r.utilities[slot] += r.noise(r.rng)
	}
	r.picks = best(r.picks[:0], r.utilities, picks)
	return r.picks
}

// best appends the slots of the largest utilities, the largest first.
func best(picked []int, utilities []float64, picks int) []int {
	if picks < 1 || picks > len(utilities) {
		panic("crowd: as many picks as slots at the most")
	}
	for range picks {
		top := -1
		for slot, u := range utilities {
			if !slices.Contains(picked, slot) && (top < 0 || u > utilities[top]) {
				top = slot
			}
		}
		picked = append(picked, top)
	}
	return picked
}
