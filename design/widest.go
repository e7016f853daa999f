package design

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Widest finds the question that carries most information about one direction: the K arms whose
// values z have the largest variance
//
//	Var_p(z) = Σ p_i·z_i² − (Σ p_i·z_i)²,   p_i = w_i/Σ w over the K arms,
//
// if one of them is picked in proportion to its weight. With z_i = a_i'H⁻¹g and w_i = exp(a_i'θ)
// that is, to first order, how much the answer shrinks ‖g‖²_{H⁻¹}.
//
// Starting from every arm, it adds the arm that helps most until there are K. It takes the best of
// these questions and swaps arms as long as that helps. Candidates are the arms with the most
// extreme values, overall and among the arms most likely to be picked.
//
// If answers are rankings, it sums the variances of all picks, each from the arms that are left if
// they are picked in the order of their weights.
//
// Widest keeps scratch memory and is not safe for concurrent use.
type Widest struct {
	// Values and Weights are z and w of every arm. An arm of weight zero is not shown.
	Values, Weights []float64

	Picks int // picks per answer; 0 means 1

	// OutsideValue and OutsideWeight are z and w of an alternative that every question has besides
	// the K arms. Its weight is 0 if there is none.
	OutsideValue, OutsideWeight float64

	order     []int
	shortlist []int
	trial     []int
	listed    []bool
}

const (
	shortEnough = 40 // number of arms up to which all are candidates
	extremes    = 12 // candidates of each kind
	likely      = 0.1
	maxPasses   = 100 // over the slots; a few suffice
)

// Question sets q to the K arms, in increasing order, and returns it. At least K arms must have positive weight.
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
	return w.refine(q)
}

// Near completes q to K arms and swaps arms as long as that helps. It is faster than Question, which
// starts from every arm, and finds questions that are nearly as good.
func (w *Widest) Near(q []int, k int) []int {
	w.choose()
	for len(q) < k {
		q = append(q, -1)
		w.improve(q, len(q)-1)
	}
	return w.refine(q)
}

// refine swaps arms as long as that helps, and sorts the question.
func (w *Widest) refine(q []int) []int {
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

// swap replaces each slot by the candidate that carries most information in a ranking, and reports whether any slot changed.
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

// Picked iterates over the arms available at each pick of an answer, if they are picked in the order of their weights.
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

// improve puts the best candidate into a slot and reports whether the slot changed. It always fills an empty slot, −1.
func (w *Widest) improve(q []int, slot int) bool {
	before := q[slot]
	best, top := before, math.Inf(-1)
	if before >= 0 {
		top = worthIt(w.Variance(q))
	}
	// Values are relative to the mean of the other slots, so that large values do not lose precision.
	sum, mean, squares := w.OutsideWeight, w.OutsideWeight*w.OutsideValue, 0.0
	for at, arm := range q {
		if at != slot {
			sum, mean = sum+w.Weights[arm], mean+w.Weights[arm]*w.Values[arm]
		}
	}
	mean /= sum
	if w.OutsideWeight > 0 {
		squares = w.OutsideWeight * square(w.OutsideValue-mean)
	}
	for at, arm := range q {
		if at != slot {
			squares += w.Weights[arm] * square(w.Values[arm]-mean)
		}
	}
	weights, values := w.Weights, w.Values
	fill := func(list []int) {
		for _, arm := range list {
			weight, z := weights[arm], values[arm]-mean
			total := sum + weight
			if v := (squares + weight*z*z*sum/total) / total; v > top && !slices.Contains(q, arm) {
				best, top = arm, v
			}
		}
	}
	fill(w.shortlist)
	if best < 0 {
		fill(w.order) // no candidate is left
	}
	q[slot] = best
	return best != before
}

// worthIt is the least variance of a question that is better than one of the given variance by more
// than rounding. Otherwise two equal questions could alternate without end.
func worthIt(variance float64) float64 { return max(variance, 0)*(1+1e-9) + 1e-290 }

// Variance returns Var_p(z) of a question.
func (w *Widest) Variance(q []int) float64 {
	sum, mean, squares := w.OutsideWeight, w.OutsideWeight*w.OutsideValue, 0.0
	for _, arm := range q {
		sum, mean = sum+w.Weights[arm], mean+w.Weights[arm]*w.Values[arm]
	}
	mean /= sum
	if w.OutsideWeight > 0 {
		squares = w.OutsideWeight * square(w.OutsideValue-mean)
	}
	for _, arm := range q {
		squares += w.Weights[arm] * square(w.Values[arm]-mean)
	}
	return squares / sum
}
