package choice

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// A Question is the K ≥ 2 arms shown to a respondent, in the order shown. An arm
// may appear more than once, as the paper's greedy rules allow, but not in every
// slot: such a question says nothing about θ.
type Question []int

// Check returns an error unless a question can be asked about a catalogue of n arms.
func (q Question) Check(n int) error {
	if len(q) < 2 {
		return fmt.Errorf("question: at least two arms must be shown, got %d", len(q))
	}
	same := true
	for slot, arm := range q {
		if arm < 0 || arm >= n {
			return fmt.Errorf("question: slot %d shows arm %d, but arms go from 0 to %d", slot, arm, n-1)
		}
		same = same && arm == q[0]
	}
	if same {
		return fmt.Errorf("question: all %d slots show arm %d", len(q), q[0])
	}
	return nil
}

// An Answer is what a respondent said to a question: the slots picked, best
// first. A plain pick has length one; a longer answer ranks the first of the K.
// Slots rather than arms are kept, so that what was seen on which side of the
// screen is not forgotten.
type Answer struct {
	Question Question
	Picks    []int

	// Respondent is the name of the respondent, empty if unknown, and Segment the part of the
	// population they belong to, where the model distinguishes segments.
	Respondent, Segment string
}

// Steps goes through the picks one by one: the slots that were left to pick from, and which
// of them was picked. Where one arm is left, or copies of one, there is no choice. The slice is
// only good until the next step.
func (a Answer) Steps() iter.Seq2[[]int, int] {
	return func(yield func([]int, int) bool) {
		left := make([]int, len(a.Question))
		for slot := range left {
			left[slot] = slot
		}
		for _, slot := range a.Picks {
			at := slices.Index(left, slot)
			choice := slices.ContainsFunc(left, func(s int) bool { return a.Question[s] != a.Question[left[0]] })
			if !choice || !yield(left, at) {
				return
			}
			left = slices.Delete(left, at, at+1)
		}
	}
}

// Check returns an error unless an answer can be given about a catalogue of n arms.
func (a Answer) Check(n int) error {
	if err := a.Question.Check(n); err != nil {
		return err
	}
	if len(a.Picks) == 0 {
		return errors.New("answer: nothing was picked")
	}
	for i, slot := range a.Picks {
		if slot < 0 || slot >= len(a.Question) {
			return fmt.Errorf("answer: pick %d is slot %d, but slots go from 0 to %d", i+1, slot, len(a.Question)-1)
		}
		if slices.Contains(a.Picks[:i], slot) {
			return fmt.Errorf("answer: slot %d is picked twice", slot)
		}
	}
	return nil
}
