package design

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Widest finds the question that tells most about one direction: the K arms whose values
// z have the largest variance
//
//	Var_p(z) = Σ p_i·z_i² − (Σ p_i·z_i)²,   p_i = w_i/Σ w over the K arms,
//
// when one of them is picked by its weight. With z_i = a_i'H⁻¹g and w_i = exp(a_i'θ) that
// is, to first order, how much the answer shrinks ‖g‖²_{H⁻¹}.
//
// From every arm it adds the arm that helps most until there are K, takes the best of these
// questions, and swaps arms as long as that helps; all among the arms with the most extreme
// values, overall and among those about as likely to be picked as any.
//
// Where answers are rankings, the variances of all picks count, each from the arms that are
// left if they are picked in the order of their weights.
type Widest struct {
	// Values and Weights are z and w of every arm; an arm of weight zero is not shown.
	Values, Weights []float64

	Picks int // of an answer; 0 is 1

	order     []int
	shortlist []int
	trial     []int
	listed    []bool
}

const (
	shortEnough = 40 // arms, up to which all are considered
	extremes    = 12 // of each kind
	likely      = 0.1
	maxPasses   = 100 // over the slots; a few are enough
)

// Question sets q to the K arms, in increasing order, and returns it. There must be as many
// arms of positive weight.
func (w *Widest) Question(q []int, k int) []int {
	w.choose()
	top := math.Inf(-1)
	for _, first := range w.shortlist {
		w.trial = append(w.trial[:0], first)
		for len(w.trial) < k {
			w.trial = append(w.trial, -1)
			w.improve(w.trial, len(w.trial)-1)
		}
		if v := w.Variance(w.trial); v > top {
			top = v
			q = append(q[:0], w.trial...)
		}
	}
	for pass, swapped := 0, true; swapped && pass < maxPasses; pass++ {
		swapped = false
		for slot := range q {
			swapped = w.improve(q, slot) || swapped
		}
	}
	for pass := 0; w.Picks > 1 && pass < maxPasses && w.swap(q); pass++ {
	}
	slices.Sort(q)
	return q
}

// swap puts the arm of the shortlist that tells most in a ranking into each slot, and reports
// whether any is another one.
func (w *Widest) swap(q []int) bool {
	swapped := false
	for slot, before := range q {
		best, top := before, worthIt(w.Information(q))
		for _, arm := range w.shortlist {
			if slices.Contains(q, arm) {
				continue
			}
			q[slot] = arm
			if v := w.Information(q); v > top {
				best, top = arm, v
			}
			q[slot] = before
		}
		q[slot] = best
		swapped = swapped || best != before
	}
	return swapped
}

// Information returns the sum of the variances of an answer's picks.
func (w *Widest) Information(q []int) float64 {
	sum := 0.0
	for left := range w.Picked(q) {
		sum += w.Variance(left)
	}
	return sum
}

// Picked goes through the arms that each pick of an answer is made from, if they are picked
// in the order of their weights.
func (w *Widest) Picked(q []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if w.Picks <= 1 {
			yield(q)
			return
		}
		left := slices.Clone(q)
		slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(w.Weights[b], w.Weights[a]) })
		for pick := 0; pick < w.Picks && pick < len(q)-1; pick++ {
			if !yield(left[pick:]) {
				return
			}
		}
	}
}

// choose sets the shortlist.
func (w *Widest) choose() {
	w.shortlist, w.order = w.shortlist[:0], w.order[:0]
	top := 0.0
	for arm, weight := range w.Weights {
		if weight > 0 {
			w.order = append(w.order, arm)
			top = max(top, weight)
		}
	}
	if len(w.order) <= shortEnough {
		w.shortlist = append(w.shortlist, w.order...)
		return
	}
	if len(w.listed) != len(w.Weights) {
		w.listed = make([]bool, len(w.Weights))
	}
	clear(w.listed)
	for _, least := range []float64{0, likely * top} {
		for _, sign := range []float64{1, -1} {
			w.addExtremes(least, sign)
		}
	}
	slices.Sort(w.shortlist)
}

// addExtremes lists the arms of at least the given weight with the largest sign·z.
func (w *Widest) addExtremes(least, sign float64) {
	var memory [extremes + 1]int
	arms := memory[:0]
	for _, arm := range w.order {
		z := sign * w.Values[arm]
		if w.Weights[arm] < least || len(arms) == extremes && z <= sign*w.Values[arms[extremes-1]] {
			continue
		}
		arms = append(arms, arm)
		for at := len(arms) - 1; at > 0 && sign*w.Values[arms[at-1]] < z; at-- {
			arms[at-1], arms[at] = arms[at], arms[at-1]
		}
		arms = arms[:min(len(arms), extremes)]
	}
	for _, arm := range arms {
		if !w.listed[arm] {
			w.listed[arm] = true
			w.shortlist = append(w.shortlist, arm)
		}
	}
}

// improve puts the best arm of the shortlist into a slot and reports whether that is
// another one. An empty slot, −1, is filled whatever comes of it.
func (w *Widest) improve(q []int, slot int) bool {
	before := q[slot]
	best, top := before, math.Inf(-1)
	if before >= 0 {
		top = worthIt(w.Variance(q))
	}
	// Values count from the mean of the other slots, so that large ones do not round away.
	var sum, mean, squares float64
	for at, arm := range q {
		if at != slot {
			sum, mean = sum+w.Weights[arm], mean+w.Weights[arm]*w.Values[arm]
		}
	}
	mean /= sum
	for at, arm := range q {
		if at != slot {
			squares += w.Weights[arm] * square(w.Values[arm]-mean)
		}
	}
	fill := func(list []int) {
		for _, arm := range list {
			if slices.Contains(q, arm) {
				continue
			}
			weight, z := w.Weights[arm], w.Values[arm]-mean
			total := sum + weight
			if v := (squares + weight*z*z*sum/total) / total; v > top {
				best, top = arm, v
			}
		}
	}
	fill(w.shortlist)
	if best < 0 {
		fill(w.order) // the shortlist is used up
	}
	q[slot] = best
	return best != before
}

// worthIt returns the variance that another question must exceed to be better than one of a given
// variance by more than rounding. Otherwise equal questions would alternate without end.
func worthIt(variance float64) float64 { return max(variance, 0)*(1+1e-9) + 1e-290 }

// Variance returns Var_p(z) of a question.
func (w *Widest) Variance(q []int) float64 {
	var sum, mean, squares float64
	for _, arm := range q {
		sum, mean = sum+w.Weights[arm], mean+w.Weights[arm]*w.Values[arm]
	}
	mean /= sum
	for _, arm := range q {
		squares += w.Weights[arm] * square(w.Values[arm]-mean)
	}
	return squares / sum
}
