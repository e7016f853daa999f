// Package crowd simulates respondents, to test strategies without people. A [Respondent] answers
// questions: [NewMNL] follows the model, [NewRandomUtility] takes any noise, and [Inattentive],
// [Adjusted], [Changing] and [People] violate the model.
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

// A Population draws one person: the utilities of all arms for them. Equal utilities make a person who
// clicks at random.
type Population func(rng *rand.Rand) []float64

// Drawn returns respondents drawn from a population, who answer each questions each.
func Drawn(p Population, each int, rng *rand.Rand) *People {
	return &People{Each: each, Join: func(int, int) Respondent {
		return &Person{Utilities: p(rng), Rng: rng}
	}}
}

// A Person picks by the softmax of their own utilities.
type Person struct {
	Utilities []float64 // of all arms
	Rng       *rand.Rand

	noisy []float64
	picks []int
}

// Pick returns the slots picked. The slice is valid until the next call.
func (p *Person) Pick(q choice.Question, picks int) []int {
	p.noisy = p.noisy[:0]
	for _, arm := range q {
		p.noisy = append(p.noisy, p.Utilities[arm]+Gumbel(p.Rng))
	}
	p.picks = best(p.picks[:0], p.noisy, picks)
	return p.picks
}

// Constants are the constants of what is offered besides the arms.
type Constants struct {
	Outside float64 // the utility of none of the arms
	Tie     float64 // log ν of Davidson's model: at 0, two equal arms are tied in a third of the answers
}

// Offered answers by the softmax of each stage of [choice.Alternatives], whatever is offered: none
// of the arms, a tie, or the worst arm after the best.
type Offered struct {
	offer     choice.Offer
	constants Constants
	utility   func(arm int) float64
	rng       *rand.Rand
	picks     []int
}

// NewOffered returns a respondent with the given utilities of arms.
func NewOffered(o choice.Offer, constants Constants, utility func(arm int) float64, rng *rand.Rand) *Offered {
	return &Offered{offer: o, constants: constants, utility: utility, rng: rng}
}

// Pick returns the picks of an answer: the given number of slots, or what is offered instead. The
// slice is valid until the next call.
func (r *Offered) Pick(q choice.Question, picks int) []int {
	utilities, slots, mean := make([]float64, 0, len(q)+2), make([]int, 0, len(q)+2), 0.0
	for slot, arm := range q {
		u := r.utility(arm)
		utilities, slots, mean = append(utilities, u), append(slots, slot), mean+u/float64(len(q))
	}
	if r.offer.Outside {
		utilities, slots = append(utilities, r.constants.Outside), append(slots, choice.None)
	}
	if r.offer.Ties {
		utilities, slots = append(utilities, mean+r.constants.Tie), append(slots, choice.Tie)
	}
	first := slots[choice.SamplePick(r.rng, utilities)]
	r.picks = append(r.picks[:0], first)
	if first < 0 {
		return r.picks
	}
	left, rest := slices.Delete(slots[:len(q)], first, first+1), slices.Delete(utilities[:len(q)], first, first+1)
	if r.offer.BestWorst {
		for i := range rest {
			rest[i] = -rest[i]
		}
		picks = min(2, len(q)-1)
	}
	for _, at := range choice.SampleRanking(r.rng, rest, max(picks-1, 1))[:picks-1] {
		r.picks = append(r.picks, left[at])
	}
	return r.picks
}
