// Package design chooses questions that reduce uncertainty: which arms to show so that the estimate
// of θ becomes precise where it matters.
//
// Uncertainty is measured as in "Pure Exploration with Structured Preference Feedback": with V =
// Σ_s X_s X_s', the sum of aa' over all arms shown, the width of the confidence interval of g'θ is
// proportional to ‖g‖_{V⁻¹} (Theorem 1). Theorem 1 assumes arms in the unit ball; [Scale] brings
// them there.
//
//   - [Greedy] chooses arms one by one (Algorithm 1, line 10), by the XY or the G criterion.
//   - [Precision] maintains V and the norms of arms, for few and for very many.
//   - [Widest] finds the question that carries most information about one direction.
package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// MaxProducts is the largest number of arms for which [NewPrecision] stores the products of all
// pairs of arms. For 2,048 arms they take 32 MB.
const MaxProducts = 2048

// A Precision maintains V = μI + Σ aa' over the arms shown so far, and the norms of arms and of
// their differences. [NewPrecision] returns one of two implementations: [Products], for up to
// [MaxProducts] arms, or one for very many.
type Precision interface {
	// Reset sets V = μI.
	Reset(mu float64)

	// Show counts an arm as shown: V ← V + aa'.
	Show(arm int)

	// Norm returns ‖a_i‖²_{V⁻¹}.
	Norm(i int) float64

	// Gap returns ‖a_i − a_j‖²_{V⁻¹}. Successive calls with the same i are cheapest.
	Gap(i, j int) float64

	// V returns V. The caller must not change it.
	V() *mat.SymDense
}

// NewPrecision returns a Precision with V = μI, where μ > 0, of the kind that suits the number of
// arms.
func NewPrecision(catalogue *choice.Catalogue, mu float64) Precision {
	if catalogue.Len() > MaxProducts {
		return newRootPrecision(catalogue, mu)
	}
	return NewProducts(catalogue, mu)
}

// Scale divides all features by the norm of the longest arm, so that every arm lies in the unit
// ball as Theorem 1 assumes. It returns the scaled catalogue and that norm. Estimates for the
// scaled arms are the original θ times the norm; the best arm does not change. A catalogue within
// the ball is returned unchanged, with 1.
func Scale(c *choice.Catalogue) (*choice.Catalogue, float64, error) {
	longest := 0.0
	for i := range c.Len() {
		longest = max(longest, norm(c.Arm(i)))
	}
	if longest <= 1 {
		return c, 1, nil
	}
	ids, rows := make([]string, c.Len()), make([][]float64, c.Len())
	for i := range rows {
		ids[i] = c.ID(i)
		for _, x := range c.Arm(i) {
			rows[i] = append(rows[i], x/longest)
		}
	}
	scaled, err := choice.NewCatalogue(ids, c.Features(), rows)
	return scaled, longest, err
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum = math.Hypot(sum, x)
	}
	return sum
}

// maxGrowth is the factor by which updates may shrink norms before they are recomputed. An update
// loses a few units in the last place of the previous norm, so norms stay accurate to about 1e-12.
const maxGrowth = 1e4

// closeTo is the share of the norms below which the gap of two arms is computed from their
// difference, to avoid cancellation. Copies then have a gap of zero.
const closeTo = 1e-2

// rootPrecision maintains V = μI + Σ aa' for very many arms, through a root Q of V⁻¹ = QQ' and the norms
//
//	n_j = ‖a_j‖²_{V⁻¹}
//
// alone. Showing arm a changes them by the Sherman–Morrison formula and its root,
//
//	n_j ← n_j − p_j²/(1 + n_a),   p = A·V⁻¹a,
//	Q ← Q − β·Qz·z',              z = Q'a,   β = (1 − 1/√(1 + n_a))/n_a,
//
// in one pass over the features. That shrinks no norm by more than a factor 1 + n_a. When the
// product of these exceeds maxGrowth, and after refreshEvery updates, rootPrecision recomputes Q and the
// norms. It keeps a root, not V⁻¹, so that directions in which only μ makes V invertible do not
// swamp the others.
//
// rootPrecision is not safe for concurrent use.
type rootPrecision struct {
	catalogue *choice.Catalogue
	v         *mat.SymDense // V itself, exact but for rounding
	root      *mat.Dense    // Q
	norms     []float64
	updates   int       // since the norms were recomputed
	growth    float64   // ∏(1 + n_a) since
	renewals  int       // how often the norms were recomputed
	column    []float64 // A·V⁻¹a of the arm last shown or queried
	asked     int       // the arm last queried, or -1
	half      []float64 // scratch: Q'x
	solved    []float64 // scratch: V⁻¹x
	gap       []float64 // scratch: a difference of two arms
}

// newRootPrecision returns rootPrecision with V = μI, where μ > 0.
func newRootPrecision(catalogue *choice.Catalogue, mu float64) *rootPrecision {
	if !(mu > 0) {
		panic("design: μ must be positive")
	}
	n, d := catalogue.Len(), catalogue.Dim()
	p := &rootPrecision{
		catalogue: catalogue,
		v:         mat.NewSymDense(d, nil),
		root:      mat.NewDense(d, d, nil),
		norms:     make([]float64, n),
		column:    make([]float64, n),
		half:      make([]float64, d),
		solved:    make([]float64, d),
		gap:       make([]float64, d),
	}
	p.Reset(mu)
	return p
}

// Reset sets V = μI.
func (p *rootPrecision) Reset(mu float64) {
	p.v.Zero()
	for k := range p.catalogue.Dim() {
		p.v.SetSym(k, k, mu)
	}
	p.renew()
}

// renew computes Q = U⁻¹ from V = U'U, and the norms ‖Q'a_j‖². It reports false if rounding has
// absorbed μ in V; then the updated values are more accurate.
func (p *rootPrecision) renew() bool {
	var factor mat.Cholesky
	if !factor.Factorize(p.v) {
		return false
	}
	var triangle, inverted mat.TriDense
	factor.UTo(&triangle)
	_ = inverted.InverseTri(&triangle) // an ill-conditioned V is inverted as well as possible
	p.root.Copy(&inverted)
	p.catalogue.Distances(p.norms, p.root, make([]float64, p.catalogue.Dim()))
	p.updates, p.growth, p.asked = 0, 1, -1
	p.renewals++
	return true
}

// Show counts an arm as shown: V ← V + aa'.
func (p *rootPrecision) Show(arm int) { p.show(arm) }

// show counts an arm. It returns 1/(1 + n_a) and whether the norms were recomputed. If they were
// not, column holds p.
func (p *rootPrecision) show(arm int) (scale float64, anew bool) {
	a := p.catalogue.Arm(arm)
	p.solve(a)
	norm := floats.Dot(p.half, p.half)
	scale = 1 / (1 + norm)
	blas64.Syr(1, vector(a), p.v.RawSymmetric())
	if norm > 0 {
		blas64.Ger(-(1-math.Sqrt(scale))/norm, vector(p.solved), vector(p.half), p.root.RawMatrix())
	}
	p.updates++
	p.growth = min(p.growth*(1+norm), math.MaxFloat64)
	if (p.growth > maxGrowth || p.updates >= refreshEvery) && p.renew() {
		return scale, true
	}
	p.catalogue.Multiply(p.column, p.solved)
	p.asked = -1
	for j, x := range p.column {
		p.norms[j] = max(0, p.norms[j]-scale*x*x)
	}
	return scale, false
}

// solve sets half to Q'x and solved to V⁻¹x.
func (p *rootPrecision) solve(x []float64) {
	blas64.Gemv(blas.Trans, 1, p.root.RawMatrix(), vector(x), 0, vector(p.half))
	blas64.Gemv(blas.NoTrans, 1, p.root.RawMatrix(), vector(p.half), 0, vector(p.solved))
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Norm returns ‖a_i‖²_{V⁻¹}.
func (p *rootPrecision) Norm(i int) float64 { return p.norms[i] }

// Gap returns ‖a_i − a_j‖²_{V⁻¹}. It takes a pass over the features if i changes between calls.
func (p *rootPrecision) Gap(i, j int) float64 {
	if p.asked != i {
		p.solve(p.catalogue.Arm(i))
		p.catalogue.Multiply(p.column, p.solved)
		p.asked = i
	}
	sum := p.norms[i] + p.norms[j]
	if gap := sum - 2*p.column[j]; gap > closeTo*sum {
		return gap
	}
	floats.SubTo(p.gap, p.catalogue.Arm(i), p.catalogue.Arm(j))
	p.solve(p.gap)
	return floats.Dot(p.half, p.half)
}

// V returns V. The caller must not change it.
func (p *rootPrecision) V() *mat.SymDense { return p.v }
