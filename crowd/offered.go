package crowd

import (
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

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
		picks = 2
	}
	for _, at := range choice.SampleRanking(r.rng, rest, max(picks-1, 1))[:picks-1] {
		r.picks = append(r.picks, left[at])
	}
	return r.picks
}
