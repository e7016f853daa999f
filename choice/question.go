package choice

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// A Question is the K ≥ 2 arms shown to a respondent, in the order shown. An arm may appear more
// than once, as the paper's greedy rules allow, but not in every slot: that question would carry no
// information about θ.
type Question []int

// Check returns an error if the question cannot be asked about a catalogue of n arms.
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

// An Answer is a respondent's answer to a question: the slots picked, best first. A single pick has
// length one; a longer answer ranks the best of the K. It records slots rather than arms, to
// preserve the position on the screen.
type Answer struct {
	Question Question
	Picks    []int // slots of the question, best first

	// Respondent is the respondent's name, empty if unknown. Segment is the respondent's part of
	// the population, if the model distinguishes segments.
	Respondent, Segment string
}

// Steps iterates over the picks: the slots still available, and the index of the pick among them.
// It stops when only one arm, or copies of one, is left. The slice is valid until the next step.
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

// Check returns an error if the answer cannot be given about a catalogue of n arms.
func (a Answer) Check(n int) error {
	if err := a.Question.Check(n); err != nil {
		return err
	}
	if len(a.Picks) == 0 {
		return errors.New("answer: at least one slot must be picked")
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
