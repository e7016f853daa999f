// Package crowd simulates respondents, to test strategies without people. A [Respondent] answers
// questions: [NewMNL] follows the model, [NewRandomUtility] takes any noise, and [Inattentive],
// [Adjusted], [Changing], [People] and [Mixture] violate the model.
//
//	rng := rand.New(rand.NewPCG(1, 2))
//	respondent := crowd.NewMNL(catalogue, theta, rng)
//	answer := crowd.Answer(respondent, question, 1)
//
// Respondents draw all random numbers from the generator that they are given, so that a simulation
// is repeatable.
package crowd

import (
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// A Respondent answers questions. It is not safe for concurrent use.
type Respondent interface {
	// Pick returns the given number of slots in answer to a question, best first.
	Pick(question choice.Question, picks int) []int
}

// Answer returns a respondent's answer, with any number of picks for a respondent under an offer, as
// [Offered]. It includes the name and segment if the respondent has them, as [People] do.
func Answer(r Respondent, question choice.Question, picks int) choice.Answer {
	a := choice.Answer{Question: question, Picks: r.Pick(question, picks)}
	if people, ok := r.(*People); ok {
		a.Respondent, a.Segment = people.Name(), people.Segment()
	}
	return a
}

// A Noise draws the random part of a utility.
type Noise func(rng *rand.Rand) float64

// Gumbel noise leads to softmax picks: the multinomial logit.
func Gumbel(rng *rand.Rand) float64 { return choice.Gumbel(rng) }

// Gaussian noise of standard deviation sigma leads to the random utility model of the paper's
// robustness experiment (Section 5.3): not a softmax, but close.
func Gaussian(sigma float64) Noise {
	return func(rng *rand.Rand) float64 { return sigma * rng.NormFloat64() }
}

// RandomUtility picks the arm with the largest sum of utility and noise, and ranks by the same sum.
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
		panic("crowd: θ must have one entry for each feature")
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
		panic("crowd: there must be at most as many picks as slots")
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
