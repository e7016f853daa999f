package strategy

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// plan makes a deck, from the estimate of the last look, the information that was there
// and what is expected of all questions planned since.
func (r *Racing) plan() {
	size := min(mostPlanned, r.pause())
	r.weigh()
	deck := make([]choice.Question, 0, size)
	_, parts := r.duelling()
	for range size {
		q := r.next(r.state.Planned, r.state.Widths, parts)
		r.expect(q, r.state.Planned, r.state.Widths)
		for slot, place := range q {
			q[slot] = r.field.arm(place)
		}
		deck = append(deck, q)
	}
	slices.Reverse(deck)
	r.state.Deck = deck
}

// weigh sets the weights by which arms are picked, as far as is known.
func (r *Racing) weigh() {
	r.widest.Picks = int(math.Round(r.picks()))
	top := r.utilities[r.top()]
	for place, u := range r.utilities {
		if r.widest.Weights[place] = max(math.Exp(u-top), 1e-300); r.withdrawn(r.field.arm(place)) {
			r.widest.Weights[place] = 0
		}
	}
}

// aim sets the values of the arms for learning about the leader's lead over a challenger.
func (r *Racing) aim(challenger int, inverse []float64) {
	d := r.views.judged.Dim()
	towards := make([]float64, d)
	multiply(towards, inverse, r.lead(challenger))
	for place := range r.widest.Values {
		r.widest.Values[place] = r.field.rows.Utility(place, towards)
	}
}

// next chooses a question, by places in the field: what shrinks the challenger's uncertainty
// most, or a duel.
func (r *Racing) next(inverse, widths, parts []float64) []int {
	challenger, random := r.challenger(widths)
	var q []int
	switch {
	case len(r.state.Verifying) > 0:
		q = r.verifyQuestion()
	case r.state.Direct && !random:
		q = r.duelQuestion(parts)
	default:
		r.aim(challenger, inverse)
		q = r.widest.Question(nil, r.settings.K)
	}
	r.rng.Shuffle(len(q), func(i, j int) { q[i], q[j] = q[j], q[i] }) // nobody shall know by the place
	return q
}

// challenger returns the arm with the least Z, or now and then a random one. Copies of
// the leader challenge only where there is nothing else.
func (r *Racing) challenger(widths []float64) (place int, random bool) {
	if r.rng.Float64() < exploreShare/math.Sqrt(float64(r.state.Answered+1)) {
		if place := r.rng.IntN(len(widths)); widths[place] > 0 {
			return place, true
		}
	}
	return r.doubtful(widths), false
}

// doubtful returns the arm with the least Z, as far as the squared widths of the leads are
// known, and where no arm is in doubt the one next to the leader.
func (r *Racing) doubtful(widths []float64) int {
	best, least := -1, math.Inf(1)
	top := r.utilities[r.top()]
	for place, width := range widths {
		if width <= 0 {
			continue
		}
		lead := top - r.utilities[place] + r.epsilon
		if z := lead * lead / width; z < least {
			best, least = place, z
		}
	}
	for place, u := range r.utilities {
		other := place != r.top() && !r.withdrawn(r.field.arm(place))
		if math.IsInf(least, 1) && other && (best < 0 || u > r.utilities[best]) {
			best = place
		}
	}
	return best
}

// expect adds the expected information of an answer to H, pick by pick ([design.Widest]).
func (r *Racing) expect(q []int, inverse, widths []float64) {
	for left := range r.widest.Picked(q) {
		r.expectPick(left, inverse, widths)
	}
}

// expectPick adds the expected information of a pick to H: H⁻¹ and the squared widths of the
// leads change by as many terms of rank one as there are arms to pick from.
func (r *Racing) expectPick(q []int, inverse, widths []float64) {
	d := r.views.judged.Dim()
	mean, centred, solved := make([]float64, d), make([]float64, d), make([]float64, d)
	sum := 0.0
	for _, place := range q {
		sum += r.widest.Weights[place]
	}
	for _, place := range q {
		floats.AddScaled(mean, r.widest.Weights[place]/sum, r.field.rows.Arm(place))
	}
	leader := r.field.rows.Arm(r.top())
	for _, place := range q {
		p := r.widest.Weights[place] / sum
		floats.SubTo(centred, r.field.rows.Arm(place), mean)
		multiply(solved, inverse, centred)
		scale := p / (1 + p*floats.Dot(centred, solved))
		for k := range d {
			floats.AddScaled(inverse[k*d:(k+1)*d], -scale*solved[k], solved)
		}
		own := floats.Dot(solved, leader)
		for j := range widths {
			if widths[j] > 0 {
				x := own - r.field.rows.Utility(j, solved)
				widths[j] = max(widths[j]-scale*x*x, 1e-300)
			}
		}
	}
}
