package choice

import (
	"errors"
	"fmt"
	"math"
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

// Limits of the arms in a question.
const (
	MinBestWorst = 3 // with a best and a worst arm
	MaxTied      = 9 // with ties
)

// checkTied returns an error if the arms of a question cannot be called equally good.
func checkTied(q Question) error {
	if len(q) > MaxTied {
		return fmt.Errorf("question: ties need at most %d arms, got %d", MaxTied, len(q))
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
	if o.BestWorst && k < MinBestWorst {
		problems = append(problems, fmt.Errorf("best and worst need at least %d arms in a question, got %d", MinBestWorst, k))
	}
	if o.Ties {
		if _, ok := lastTie(n, k); k > MaxTied || !ok {
			problems = append(problems, fmt.Errorf("ties need at most %d arms in a question and fewer arms in all, got %d of %d",
				MaxTied, k, n))
		}
	}
	return errors.Join(problems...)
}

// The sets of arms that can be tied are numbered without reference to the number of arms, so that a
// number stays valid when arms are added. A set c_1 < … < c_k has the rank Σ_i C(c_i, i) among the
// sets of its size (the combinatorial number system), and the number rank·(MaxTied − 1) + k − 2.

// tieNumber returns the number of a set of 2 to MaxTied different arms in increasing order.
func tieNumber(sorted []int) int {
	rank := 0
	for i, arm := range sorted {
		b, _ := binomial(arm, i+1)
		rank += b
	}
	return rank*(MaxTied-1) + len(sorted) - 2
}

// tiedArms returns the set of arms with a number, in increasing order.
func tiedArms(number int) []int {
	rank, k := number/(MaxTied-1), number%(MaxTied-1)+2
	arms := make([]int, k)
	for i := k; i >= 1; i-- {
		// The largest c with C(c, i) ≤ rank, between low and high.
		low, high := i-1, i
		for fits(high, i, rank) {
			low, high = high, 2*high
		}
		for high-low > 1 {
			if middle := (low + high) / 2; fits(middle, i, rank) {
				low = middle
			} else {
				high = middle
			}
		}
		arms[i-1] = low
		b, _ := binomial(low, i)
		rank -= b
	}
	return arms
}

func fits(c, i, rank int) bool {
	b, ok := binomial(c, i)
	return ok && b <= rank
}

// lastTie returns an upper bound on the numbers of all sets of up to k of n arms. It reports false
// if the numbers are too large.
func lastTie(n, k int) (number int, ok bool) {
	sets := 0
	for size := 2; size <= k; size++ {
		b, known := binomial(n, size)
		if !known {
			return 0, false
		}
		sets = max(sets, b)
	}
	const maxSets = math.MaxInt / (8 * MaxTied)
	return sets * (MaxTied - 1), sets <= maxSets
}

// binomial returns C(n, k), and false if that is beyond the range of integers.
func binomial(n, k int) (value int, ok bool) {
	if k > n {
		return 0, true
	}
	value = 1
	for i := 1; i <= k; i++ {
		if factor := n - k + i; value > math.MaxInt/factor {
			return 0, false
		}
		value = value * (n - k + i) / i
	}
	return value, true
}
