package choice

import (
	"errors"
	"fmt"
	"slices"
)

// An Offer is what respondents may answer besides picking the best arms. The zero value is picks
// and rankings only.
type Offer struct {
	// Outside offers "none of these": the pick [None].
	Outside bool `json:"outside,omitempty"`

	// Ties offers "equally good", said of all arms of a question: the pick [Tie].
	Ties bool `json:"ties,omitempty"`

	// BestWorst asks for the best and the worst arm: the picks are these two slots.
	BestWorst bool `json:"best_worst,omitempty"`
}

// The picks that are no slots. Such a pick is a whole answer.
const (
	None = -1 // none of the arms shown
	Tie  = -2 // all arms shown are equally good
)

// IsPlain reports whether respondents pick and rank arms, and nothing else.
func (o Offer) IsPlain() bool { return o == Offer{} }

// Allows reports whether a pick that is no slot is offered.
func (o Offer) Allows(pick int) bool { return o.Outside && pick == None || o.Ties && pick == Tie }

// Check returns an error if the answer cannot be given about a catalogue of n arms.
func (o Offer) Check(a Answer, n int) error {
	if err := a.Question.Check(n); err != nil {
		return err
	}
	if o.Ties {
		if err := checkTied(a.Question); err != nil {
			return err
		}
	}
	if len(a.Picks) == 1 && o.Allows(a.Picks[0]) {
		return nil
	}
	if o.BestWorst && len(a.Picks) > 2 {
		return fmt.Errorf("answer: the picks must be the best slot and the worst, got %d picks", len(a.Picks))
	}
	return a.Check(n)
}

// Picked returns the answer with nothing but picks of the best arms: without the worst arm, and
// without picks if the answer is none or a tie.
func (o Offer) Picked(a Answer) Answer {
	switch {
	case len(a.Picks) > 0 && a.Picks[0] < 0:
		a.Picks = nil
	case o.BestWorst && len(a.Picks) > 1:
		a.Picks = a.Picks[:1]
	}
	return a
}

// maxTied is the largest number of arms in a question that offers ties.
const maxTied = 9

// checkTied returns an error if the arms of a question cannot be called equally good.
func checkTied(q Question) error {
	if len(q) > maxTied {
		return fmt.Errorf("question: ties need at most %d arms, got %d", maxTied, len(q))
	}
	for slot, arm := range q {
		if slices.Contains(q[:slot], arm) {
			return fmt.Errorf("question: ties need different arms, but slot %d shows arm %d again", slot, arm)
		}
	}
	return nil
}

// CheckQuestions returns an error if questions of k of n arms cannot be asked with this offer.
func (o Offer) CheckQuestions(n, k int) error {
	var problems []error
	if o.BestWorst && k < 3 {
		problems = append(problems, fmt.Errorf("best and worst need at least 3 arms in a question, got %d", k))
	}
	if o.Ties {
		if _, ok := lastTie(n, k); k > maxTied || !ok {
			problems = append(problems, fmt.Errorf("ties need at most %d arms in a question and fewer arms in all, got %d of %d", maxTied, k, n))
		}
	}
	return errors.Join(problems...)
}
