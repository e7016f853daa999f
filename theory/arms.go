package theory

import (
	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// arms are the arms of a problem in convenient coordinates: softmax depends on differences of arms
// only, so they are whitened, with the best arm at the origin. Neither T* nor an alternative
// depends on the coordinates.
type arms struct {
	form      Form
	k         int
	best      int
	gaps      []float64
	utilities []float64 // minus that of the best arm
	rows      [][]float64
	rank      int
}

func newArms(p Problem, form Form) (*arms, error) {
	a := &arms{form: form, k: p.K}
	a.best, a.gaps = p.gaps()
	if smallest, _ := twoSmallest(a.best, a.gaps); smallest == 0 {
		return nil, ErrTie
	}
	white, err := choice.Whiten(p.Catalogue)
	if err != nil {
		return nil, err
	}
	a.rank = white.Dim()
	for i := range white.Len() {
		a.utilities = append(a.utilities, -a.gaps[i])
		row := make([]float64, a.rank)
		floats.SubTo(row, white.Arm(i), white.Arm(a.best))
		a.rows = append(a.rows, row)
	}
	return a, nil
}

// shares returns the probabilities of the picks from a question.
func (a *arms) shares(q choice.Question, p []float64) []float64 {
	p = p[:0]
	for _, arm := range q {
		p = append(p, a.utilities[arm])
	}
	return choice.Probabilities(p, p)
}

// rate returns the rate at which answers to a question distinguish θ* from shifted utilities.
func (a *arms) rate(q choice.Question, shifts []float64) float64 {
	var shares, shown [16]float64 // no allocation for the usual K
	v := shown[:0]
	for _, arm := range q {
		v = append(v, shifts[arm])
	}
	return a.form.divergence(a.shares(q, shares[:0]), v)
}
