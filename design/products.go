// Package design chooses questions that reduce uncertainty: which arms to show so that the estimate
// of θ becomes precise where it matters.
//
// Uncertainty is measured as in "Pure Exploration with Structured Preference Feedback": with V =
// Σ_s X_s X_s', the sum of aa' over all arms shown, the width of the confidence interval of g'θ is
// proportional to ‖g‖_{V⁻¹} (Theorem 1). Theorem 1 assumes arms in the unit ball; [Scale] brings
// them there.
//
//   - [Greedy] chooses arms one by one (Algorithm 1, line 10), by the XY or the G criterion.
//   - [Products] maintains V and the norms of arms, for up to [MaxProducts] arms.
//   - [Widest] finds the question that carries most information about one direction.
package design

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// MaxProducts is the largest number of arms of [Products], whose memory grows with the square of the
// number of arms. For 2,048 arms it takes 32 MB.
const MaxProducts = 2048

// The products are recomputed after refreshEvery rank-one updates, and more often while V is small.
// An update loses a few units in the last place relative to the previous entries, so drift stays
// small as long as V has grown by at most an eighth since. The tests compare with brute force.
const (
	refreshEvery = 256
	refreshShare = 8
)

// Products maintains V = μI + Σ aa' over the arms shown so far, through the products
//
//	M_ij = a_i'V⁻¹a_j
//
// of all arms, which suffice for the greedy rules. Showing arm k changes them by the
// Sherman–Morrison formula
//
//	M ← M − M_·k·M_k·/(1 + M_kk),
//
// at the cost of N² operations in any dimension.
//
// Products is not safe for concurrent use.
type Products struct {
	catalogue  *choice.Catalogue
	n          int
	v          *mat.SymDense // V itself, exact but for rounding
	products   []float64     // M, N×N
	column     []float64     // scratch: A·V⁻¹x of the vector to be added
	difference []float64     // scratch
	factor     []float64     // scratch: the Cholesky factor of V
	half       []float64     // scratch: U'⁻¹A'
	shown      int           // arms shown so far
	updates    int           // since the products were recomputed
}

// NewProducts returns Products with V = μI, where μ > 0. It panics for more than [MaxProducts] arms.
func NewProducts(catalogue *choice.Catalogue, mu float64) *Products {
	if !(mu > 0) {
		panic("design: μ must be positive")
	}
	n, d := catalogue.Len(), catalogue.Dim()
	if n > MaxProducts {
		panic(fmt.Sprintf("design: there must be at most %d arms, got %d", MaxProducts, n))
	}
	p := &Products{
		catalogue:  catalogue,
		n:          n,
		v:          mat.NewSymDense(d, nil),
		products:   make([]float64, n*n),
		column:     make([]float64, n),
		difference: make([]float64, d),
		factor:     make([]float64, d*d),
		half:       make([]float64, d*n),
	}
	p.Reset(mu)
	return p
}

// Reset sets V = μI.
func (p *Products) Reset(mu float64) {
	p.shown = 0
	p.v.Zero()
	for k := range p.catalogue.Dim() {
		p.v.SetSym(k, k, mu)
	}
	p.refresh()
}

// refresh computes the products from V = U'U as inner products of the columns of U'⁻¹A'.
func (p *Products) refresh() {
	d := p.catalogue.Dim()
	copy(p.factor, p.v.RawSymmetric().Data)
	triangle, ok := lapack64.Potrf(blas64.Symmetric{N: d, Stride: d, Data: p.factor, Uplo: blas.Upper})
	if !ok {
		return // rounding has absorbed μ in V; the updated products are more accurate
	}
	for i := range p.n {
		for k, x := range p.catalogue.Arm(i) {
			p.half[k*p.n+i] = x
		}
	}
	half := blas64.General{Rows: d, Cols: p.n, Stride: p.n, Data: p.half}
	blas64.Trsm(blas.Left, blas.Trans, 1, triangle, half)
	products := blas64.General{Rows: p.n, Cols: p.n, Stride: p.n, Data: p.products}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, half, half, 0, products)
	p.updates = 0
}

// Show counts an arm as shown: V ← V + aa'.
func (p *Products) Show(arm int) {
	a := p.catalogue.Arm(arm)
	copy(p.column, p.row(arm))
	p.add(a, p.column[arm])
}

// Compare counts one comparison of two arms: V ← V + (a_i − a_j)(a_i − a_j)'.
func (p *Products) Compare(i, j int) {
	a, b := p.catalogue.Arm(i), p.catalogue.Arm(j)
	for k := range p.difference {
		p.difference[k] = a[k] - b[k]
	}
	for l := range p.column {
		p.column[l] = p.products[i*p.n+l] - p.products[j*p.n+l]
	}
	p.add(p.difference, p.Gap(i, j))
}

// add counts a vector x in V, given that column holds A·V⁻¹x and norm ‖x‖²_{V⁻¹}.
func (p *Products) add(x []float64, norm float64) {
	v := p.v.RawSymmetric().Data
	for k, xk := range x {
		for l := k; l < len(x); l++ {
			v[k*len(x)+l] += xk * x[l]
		}
	}
	p.shown++
	if p.updates++; p.updates >= min(refreshEvery, 1+p.shown/refreshShare) {
		p.refresh()
		return
	}
	scale := 1 / (1 + norm)
	for i, c := range p.column {
		if c == 0 {
			continue
		}
		row := p.row(i)
		w := scale * c
		for j, y := range p.column {
			row[j] -= w * y
		}
	}
}

// BestComparison returns the pair of arms k, l whose comparison shrinks ‖a_i − a_j‖²_{V⁻¹} most: by
// (g'V⁻¹b)²/(1 + ‖b‖²_{V⁻¹}) with g = a_i − a_j and b = a_k − a_l. Ties go to the first pair.
func (p *Products) BestComparison(i, j int) (k, l int) {
	n := p.n
	for at := range p.column {
		p.column[at] = p.products[i*n+at] - p.products[j*n+at]
	}
	most := -1.0
	for first := range n {
		for second := first + 1; second < n; second++ {
			if shrunk := square(p.column[first]-p.column[second]) / (1 + p.Gap(first, second)); shrunk > most {
				k, l, most = first, second, shrunk
			}
		}
	}
	return k, l
}

// row returns M_i· = a_i'V⁻¹a_j for all arms j.
func (p *Products) row(i int) []float64 { return p.products[i*p.n : (i+1)*p.n] }

// Norm returns ‖a_i‖²_{V⁻¹}.
func (p *Products) Norm(i int) float64 { return p.products[i*p.n+i] }

// Gap returns ‖a_i − a_j‖²_{V⁻¹}.
func (p *Products) Gap(i, j int) float64 {
	return max(0, p.products[i*p.n+i]+p.products[j*p.n+j]-2*p.products[i*p.n+j])
}

// V returns V. The caller must not change it.
func (p *Products) V() *mat.SymDense { return p.v }

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
