package choice

import (
	"fmt"
	"iter"
	"slices"
)

// Alternatives has a row of features for everything that respondents choose between under an
// [Offer]. An answer is a sequence of stages, each a softmax over rows, so that every [Likelihood],
// and all evidence about θ, covers all offers. The rows are, with x_i for the features of arm i:
//
//	arm i                x_i
//	arm i as the worst   −x_i                       a softmax of −u
//	none of the arms     0, and 1 for its constant
//	a tie of the set S   Σ_{i∈S} x_i/|S|, and 1 for its constant
//
// A tie then has the weight ν·∏_{i∈S} π_i^{1/|S|} beside the weights π_i = exp(x_i'θ) of the arms, with log ν for its constant:
// Davidson's model for two arms, and for more the Davidson–Luce model of Firth, Kosmidis and Turner (2019) with ties of all arms
// only. The constants are further parameters, after θ.
//
// A row keeps its number when arms are added. Under a plain offer row i is arm i. Alternatives
// remembers rows and is not safe for concurrent use.
type Alternatives struct {
	offer Offer
	rows  *Catalogue
}

// The kinds of rows: row number·rowKinds + kind.
const (
	armRow = iota // number: the arm
	oddRow        // number: the arm, as the worst
	setRow        // number: 0 for none, 1 + tieNumber for a tie
	rowKinds
)

// NewAlternatives returns the alternatives of arms under an offer. Ties are possible between up to
// as many arms as [Offer.CheckQuestions] permits.
func NewAlternatives(arms *Catalogue, offer Offer) *Alternatives {
	a := &Alternatives{offer: offer, rows: arms}
	if offer.IsPlain() {
		return a
	}
	d, names := arms.Dim(), slices.Clone(arms.Features())
	if offer.Outside {
		names = append(names, "none")
	}
	if offer.Ties {
		names = append(names, "tie")
	}
	numbers := arms.Len()
	if offer.Ties {
		for k := 2; k <= MaxTied; k++ {
			if last, ok := lastTie(arms.Len(), k); ok {
				numbers = max(numbers, last+1)
			}
		}
	}
	a.rows = Remember(newComputed(computedArms{
		Len: rowKinds * numbers, Features: names, Constants: len(names) - d,
		ID:          func(row int) string { return fmt.Sprint("row ", row) },
		Index:       func(string) (int, bool) { return 0, false },
		Arm:         func(row int) []float64 { return alternative(arms, len(names), row) },
		MeanSquares: append(slices.Clone(arms.MeanSquares()), make([]float64, len(names)-d)...),
	}))
	return a
}

// alternative computes a row of the given width.
func alternative(arms *Catalogue, width, row int) []float64 {
	x := make([]float64, width)
	switch number := row / rowKinds; row % rowKinds {
	case armRow:
		copy(x, arms.Arm(number))
	case oddRow:
		addScaled(x[:arms.Dim()], -1, arms.Arm(number))
	default:
		if number == 0 {
			x[arms.Dim()] = 1
			break
		}
		tied := tiedArms(number - 1)
		for _, arm := range tied {
			addScaled(x[:arms.Dim()], 1/float64(len(tied)), arms.Arm(arm))
		}
		x[width-1] = 1
	}
	return x
}

// Offer returns the offer.
func (a *Alternatives) Offer() Offer { return a.offer }

// Rows returns the rows as a catalogue. Its last features are the constants.
func (a *Alternatives) Rows() *Catalogue { return a.rows }

// row returns the row of an arm.
func (a *Alternatives) row(arm int) int {
	if a.offer.IsPlain() {
		return arm
	}
	return arm*rowKinds + armRow
}

// Arm returns the arm of a row. It reports false for rows that are not about picking one arm.
func (a *Alternatives) Arm(row int) (arm int, ok bool) {
	if a.offer.IsPlain() {
		return row, true
	}
	return row / rowKinds, row%rowKinds == armRow
}

// NoneRow returns the row of none of the arms, which must be offered.
func (a *Alternatives) NoneRow() int { return setRow }

// A Stage is one choice of an answer.
type Stage struct {
	Slots  []int // the slots that are left
	Rows   []int // to choose from: those of Slots, in their order, then none and the tie where offered
	Picked int   // index into Rows
	Worst  bool  // whether it is a choice of the worst arm
}

// Stages iterates over the choices of an answer that the offer allows. None and the tie are offered at the first stage only. A
// stage without alternatives, because one arm or copies of one are left, is left out. The slices are valid until the next stage.
func (a *Alternatives) Stages(answer Answer) iter.Seq[Stage] {
	return func(yield func(Stage) bool) {
		left := UpTo(len(answer.Question))
		rows := make([]int, 0, len(left)+2)
		for at, pick := range answer.Picks {
			s := Stage{Slots: left, Worst: a.offer.BestWorst && at == 1}
			rows = rows[:0]
			for _, slot := range left {
				rows = append(rows, a.stageRow(answer.Question[slot], s.Worst))
			}
			s.Picked = slices.Index(left, pick)
			if at == 0 {
				rows, s.Picked = a.addOffered(rows, s.Picked, answer)
			}
			s.Rows = rows
			if !slices.ContainsFunc(rows, func(row int) bool { return row != rows[0] }) || !yield(s) || pick < 0 {
				return
			}
			left = slices.Delete(left, s.Picked, s.Picked+1)
		}
	}
}

// stageRow returns the row of an arm at a stage.
func (a *Alternatives) stageRow(arm int, worst bool) int {
	if worst {
		return arm*rowKinds + oddRow
	}
	return a.row(arm)
}

// addOffered adds the rows of none and of the tie, and returns the index of the pick.
func (a *Alternatives) addOffered(rows []int, picked int, answer Answer) (all []int, at int) {
	if a.offer.Outside {
		if answer.Picks[0] == None {
			picked = len(rows)
		}
		rows = append(rows, a.NoneRow())
	}
	if a.offer.Ties {
		if answer.Picks[0] == Tie {
			picked = len(rows)
		}
		rows = append(rows, (1+tieNumber(slices.Sorted(slices.Values(answer.Question))))*rowKinds+setRow)
	}
	return rows, picked
}

// Count counts an answer in a tally of rows.
func (a *Alternatives) Count(t *Tally, answer Answer) error {
	for stage := range a.Stages(answer) {
		if err := t.Add(Answer{Question: stage.Rows, Picks: []int{stage.Picked}}); err != nil {
			return err
		}
	}
	return nil
}
