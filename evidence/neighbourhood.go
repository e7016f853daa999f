package evidence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A neighbourhood is an ellipsoid B = {θ_1 + v: v'Mv ≤ R²} around the point θ_1 of a half-space where G
// is least. In the half-space and outside of B, G exceeds a level.
type neighbourhood struct {
	*nearest

	metric mat.Cholesky // of M
	radius float64      // R
	widths []float64    // max_{i,j∈q} ‖x_i − x_j‖_{M⁻¹} of every question
}

// newNeighbourhood finds B step by step. In the convex set C of all θ in the half-space with G ≤ level, let the utilities of
// question q differ from those at θ_1 by a range of at most r_q. As in (*) of [Look], but with a range for every question,
//
//	G(θ_1 + v) ≥ G(θ_1) + e'v + v'Mv,   M = Σ_q n_q·φ(r_q)·Cov_q,
//
// so that C lies in B for R² − ‖e‖_{M⁻¹}·R = level − G(θ_1), and r_q is at most R·width_q. The first r_q
// follow from (*) itself; a few steps make them smaller. It reports false if (*) gives no bound.
func newNeighbourhood(a *Anytime, at *nearest, level float64) (*neighbourhood, bool) {
	b := &neighbourhood{nearest: at, metric: at.factor}
	a.value(at.theta)
	counts := slices.Clone(a.tally.Asked())
	for k, start := range a.state.Starts {
		floats.AddScaled(counts[:len(start.Asked)], -a.mix[k], start.Asked)
	}
	needed := level - at.least
	b.radius = risesWithin(needed, at.rho, math.Sqrt(at.left))
	if math.IsInf(b.radius, 1) {
		return nil, false
	}
	b.measure(a)
	m := mat.NewSymDense(a.arms.Dim(), nil)
	for range narrowings {
		a.counts = resized(a.counts, len(counts))
		for q, n := range counts {
			a.counts[q] = n * rise(1, b.radius*b.widths[q], 0)
		}
		a.addInformation(m)
		var factor mat.Cholesky
		if !factor.Factorize(m) {
			break
		}
		b.metric = factor
		half := inverseNorm(&factor, at.error) / 2
		b.radius = half + math.Sqrt(half*half+needed)
		b.measure(a)
	}
	return b, true
}

// narrowings is the number of steps: further ones hardly help.
const narrowings = 4

// measure sets the widths.
func (b *neighbourhood) measure(a *Anytime) {
	whitened := whiten(a, &b.metric)
	b.widths = make([]float64, len(a.tally.Asked()))
	for q := range b.widths {
		b.widths[q] = widestPair(whitened, a.tally.Places(q))
	}
}

// whiten returns L⁻¹x of the seen arms, where L·L' is H̄.
func whiten(a *Anytime, factor *mat.Cholesky) [][]float64 {
	var lower mat.TriDense
	factor.LTo(&lower)
	rows := make([][]float64, len(a.tally.Seen()))
	for i, arm := range a.tally.Seen() {
		rows[i] = slices.Clone(a.arms.Arm(arm))
		for k := range rows[i] { // forward substitution
			for j := range k {
				rows[i][k] -= lower.At(k, j) * rows[i][j]
			}
			rows[i][k] /= lower.At(k, k)
		}
	}
	return rows
}

// widestPair returns the largest distance of two arms of a question.
func widestPair(rows [][]float64, places []int32) float64 {
	widest := 0.0
	for i, place := range places {
		for _, other := range places[:i] {
			widest = max(widest, floats.Distance(rows[place], rows[other], 2))
		}
	}
	return widest
}

// inverseNorm returns ‖v‖ in the inverse of the factorised matrix.
func inverseNorm(factor *mat.Cholesky, v []float64) float64 {
	x := mat.NewVecDense(len(v), v)
	var solved mat.VecDense
	_ = factor.SolveVecTo(&solved, x)
	return math.Sqrt(max(mat.Dot(x, &solved), 0))
}
