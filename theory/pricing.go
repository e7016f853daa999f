package theory

import (
	"math"
	"slices"

	"bestpick/choice"
)

// weighted is an alternative with its weight in a mix of alternatives.
type weighted struct {
	weight float64
	shifts []float64
}

// value returns the rate at which answers to a question distinguish θ* from a mix of alternatives.
func (a *arms) value(q choice.Question, mix []weighted) float64 {
	sum := 0.0
	for _, alternative := range mix {
		sum += alternative.weight * a.rate(q, alternative.shifts)
	}
	return sum
}

// scan examines all questions and returns some of the best, with the value of the very best.
func (a *arms) scan(mix []weighted) (best []choice.Question, value float64) {
	const kept = 8
	var values []float64
	n := len(a.utilities)
	q := choice.Question(choice.UpTo(a.k))
	for {
		v := a.value(q, mix)
		if len(values) < kept || v > values[len(values)-1] {
			at, _ := slices.BinarySearchFunc(values, v, compareDown)
			values, best = slices.Insert(values, at, v), slices.Insert(best, at, slices.Clone(q))
			if len(values) > kept {
				values, best = values[:kept], best[:kept]
			}
		}
		slot := a.k - 1
		for slot >= 0 && q[slot] == n-a.k+slot {
			slot--
		}
		if slot < 0 {
			return best, values[0]
		}
		q[slot]++
		for slot++; slot < a.k; slot++ {
			q[slot] = q[slot-1] + 1
		}
	}
}

// search looks for good questions. It starts from every arm that has the largest or the smallest shift under an alternative, and
// from the best arm. It adds the arm that helps most until there are K, then swaps arms as long as that helps.
func (a *arms) search(mix []weighted) []choice.Question {
	starts := map[int]bool{a.best: true}
	for _, alternative := range mix {
		low, high := 0, 0
		for arm, shift := range alternative.shifts {
			if shift < alternative.shifts[low] {
				low = arm
			}
			if shift > alternative.shifts[high] {
				high = arm
			}
		}
		starts[low], starts[high] = true, true
	}
	var found []choice.Question
	for arm := range a.utilities { // in order, so that the result is deterministic
		if starts[arm] {
			found = append(found, a.improve(a.grow(choice.Question{arm}, mix), mix))
		}
	}
	return found
}

// grow adds the arm that helps most until the question is full.
func (a *arms) grow(q choice.Question, mix []weighted) choice.Question {
	for len(q) < a.k {
		q = append(q, -1)
		a.replace(q, len(q)-1, mix)
	}
	return q
}

// improve swaps arms as long as that helps.
func (a *arms) improve(q choice.Question, mix []weighted) choice.Question {
	for swapped := true; swapped; {
		swapped = false
		for slot := range q {
			swapped = a.replace(q, slot, mix) || swapped
		}
	}
	return q
}

// replace puts the best arm into a slot and reports whether the slot changed.
func (a *arms) replace(q choice.Question, slot int, mix []weighted) bool {
	before := q[slot]
	best, top := before, math.Inf(-1)
	if before >= 0 {
		top = a.value(q, mix) * (1 + 1e-12)
	}
	for arm := range a.utilities {
		if slices.Contains(q, arm) && arm != q[slot] || arm == before {
			continue
		}
		q[slot] = arm
		if v := a.value(q, mix); v > top {
			best, top = arm, v
		}
		q[slot] = -1
	}
	q[slot] = best
	return best != before
}
