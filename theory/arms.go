package theory

import (
	"errors"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// arms are those of a problem, in coordinates that suit it: softmax sees differences of
// arms only, so the best arm is the origin, and the others are given in a basis of what
// their differences span. Neither T* nor an alternative depends on the basis, nor on the
// units of the features, which are scaled to length one first.
type arms struct {
	form      Form
	k         int
	best      int
	gaps      []float64
	utilities []float64 // less that of the best arm
	rows      [][]float64
	rank      int
}

func newArms(p Problem, form Form) (*arms, error) {
	a := &arms{form: form, k: p.K}
	a.best, a.gaps = p.gaps()
	if smallest, _ := twoSmallest(a.best, a.gaps); smallest == 0 {
		return nil, ErrTie
	}
	n, d := p.Catalogue.Len(), p.Catalogue.Dim()
	differences := mat.NewDense(n, d, nil)
	for i := range n {
		a.utilities = append(a.utilities, -a.gaps[i])
		for k, x := range p.Catalogue.Arm(i) {
			differences.Set(i, k, x-p.Catalogue.Arm(a.best)[k])
		}
	}
	for k := range d {
		if length := mat.Norm(differences.ColView(k), 2); length > 0 {
			for i := range n {
				differences.Set(i, k, differences.At(i, k)/length)
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(differences, mat.SVDThin) {
		return nil, errors.New("the arms have no singular values")
	}
	values := svd.Values(nil)
	for a.rank < len(values) && values[a.rank] > 1e-12*values[0] {
		a.rank++
	}
	var left mat.Dense
	svd.UTo(&left)
	for i := range n {
		row := make([]float64, a.rank)
		for k := range row {
			row[k] = left.At(i, k) - left.At(a.best, k)
		}
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

// rate returns how fast answers to a question tell θ* from shifted utilities.
func (a *arms) rate(q choice.Question, shifts []float64) float64 {
	var shares, shown [16]float64 // no memory for the usual K
	v := shown[:0]
	for _, arm := range q {
		v = append(v, shifts[arm])
	}
	return a.form.divergence(a.shares(q, shares[:0]), v)
}
