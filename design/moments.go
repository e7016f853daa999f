package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// moments holds the ingredients of the sum of (g'V⁻¹a)² over all directions g: S = Σ gg' up to a
// constant factor, which for the differences of all pairs of m arms is m·Σ(a_j − ā)(a_j − ā)'.
type moments struct{ sum *mat.SymDense }

// newMoments computes the moments of the active arms.
func (l *lazy) newMoments() *moments {
	c := l.precision.catalogue
	d := c.Dim()
	mean := make([]float64, d)
	if l.criterion == XY {
		for _, arm := range l.active {
			for k, x := range c.Arm(arm) {
				mean[k] += x / float64(len(l.active))
			}
		}
	}
	m := &moments{mat.NewSymDense(d, nil)}
	const rows = 256
	block := make([]float64, 0, rows*d)
	add := func() {
		blas64.Syrk(blas.Trans, 1, blas64.General{Rows: len(block) / d, Cols: d, Stride: d, Data: block}, 1, m.sum.RawSymmetric())
		block = block[:0]
	}
	for _, arm := range l.active {
		for k, x := range c.Arm(arm) {
			block = append(block, x-mean[k])
		}
		if len(block) == rows*d {
			add()
		}
	}
	if len(block) > 0 {
		add()
	}
	return m
}

// smallestSum returns the tied arm that leaves the smallest sum of the widths of all directions.
func (l *lazy) smallestSum(tied []int) int {
	if l.moments == nil {
		l.moments = l.newMoments()
	}
	best, most := tied[0], math.Inf(-1)
	for _, arm := range tied {
		l.precision.solve(l.precision.catalogue.Arm(arm))
		y := mat.NewVecDense(len(l.precision.solved), l.precision.solved)
		taken := mat.Inner(y, l.moments.sum, y) / (1 + l.precision.norms[arm])
		if taken > most*(1+tieTolerance) || math.IsInf(most, -1) {
			best, most = arm, taken
		}
	}
	return best
}
