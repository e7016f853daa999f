package design

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// An Allocation is a design in the long run: the share of slots that show each arm.
type Allocation struct {
	Shares []float64 // λ_a, not negative, summing to one

	// Value is max_g ‖g‖²_{V(λ)⁻¹} over the directions of the criterion, with
	// V(λ) = Σ_a λ_a·aa': ρ(Λ) of the paper, to be divided by the number of slots.
	Value float64

	// Bound is a lower bound on the value of every allocation, so that Value/Bound
	// is at most how far this one is from the best: 1 + β of the theorems.
	Bound float64
}

// ErrNoDirections says that all arms have the same features.
var ErrNoDirections = errors.New("design: the arms do not differ")

// Optimal returns an allocation that minimises the criterion over all shares, within
// a relative gap, or the best found in maxSteps. It solves
//
//	min_λ max_g g'V(λ)⁻¹g
//
// by weighing the directions: for weights w with C = Σ_g w_g·gg' and
// s_a = a'V⁻¹CV⁻¹a, every allocation has a value of at least
//
//	(Σ_g w_g·g'V⁻¹g)² / max_a s_a,                                     (*)
//
// because F(λ) = tr(V(λ)⁻¹C) is convex, homogeneous of degree −1, with gradient −s.
// Each step multiplies λ_a by √s_a, which lowers F, and moves the weights towards the
// directions that are widest now. Weights and shares at the best bound and the best
// value seen are kept.
//
// Arms that do not span ℝᵈ are handled in the space they span; duplicate arms share.
func Optimal(c *choice.Catalogue, criterion Criterion, gap float64, maxSteps int) (Allocation, error) {
	o, err := newOptimiser(c, criterion)
	if err != nil {
		return Allocation{}, err
	}
	best := Allocation{Value: math.Inf(1)}
	for step := 1; step <= maxSteps; step++ {
		value, bound := o.evaluate()
		best.Bound = max(best.Bound, bound)
		if value < best.Value {
			best.Value, best.Shares = value, append(best.Shares[:0], o.shares...)
		}
		if best.Value <= best.Bound*(1+gap) {
			break
		}
		o.step(step)
	}
	return best, nil
}

// An optimiser holds the numbers of one call of Optimal.
type optimiser struct {
	arms       *mat.Dense // N×r, in a basis of what the arms span
	directions *mat.Dense // G×r
	shares     []float64
	weights    []float64

	widths   []float64 // g'V⁻¹g
	steep    []float64 // s_a
	products mat.Dense // a'V⁻¹g
}

func newOptimiser(c *choice.Catalogue, criterion Criterion) (*optimiser, error) {
	n := c.Len()
	basis := span(c)
	_, rank := basis.Dims()
	all := mat.NewDense(n, c.Dim(), nil)
	for i := range n {
		all.SetRow(i, c.Arm(i))
	}
	o := &optimiser{arms: mat.NewDense(n, rank, nil)}
	o.arms.Mul(all, basis)
	var rows []float64
	for i := range n {
		if criterion == G {
			rows = append(rows, o.arms.RawRowView(i)...)
			continue
		}
		for j := range i {
			differs := false
			for k := range rank {
				x := o.arms.At(i, k) - o.arms.At(j, k)
				rows = append(rows, x)
				differs = differs || math.Abs(x) > 1e-12
			}
			if !differs { // duplicate arms have no difference to be wide
				rows = rows[:len(rows)-rank]
			}
		}
	}
	if len(rows) == 0 {
		return nil, ErrNoDirections
	}
	o.directions = mat.NewDense(len(rows)/rank, rank, rows)
	o.shares, o.weights = uniformShares(n), uniformShares(len(rows)/rank)
	o.widths, o.steep = make([]float64, len(o.weights)), make([]float64, n)
	return o, nil
}

func uniformShares(n int) []float64 {
	shares := make([]float64, n)
	for i := range shares {
		shares[i] = 1 / float64(n)
	}
	return shares
}

// span returns an orthonormal basis of what the arms span, as columns.
func span(c *choice.Catalogue) *mat.Dense {
	d := c.Dim()
	gram := mat.NewSymDense(d, nil)
	for i := range c.Len() {
		gram.SymRankOne(gram, 1, mat.NewVecDense(d, c.Arm(i)))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		panic("design: no eigenvalues")
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	first := 0
	for first < d-1 && values[first] <= 1e-12*values[d-1] {
		first++
	}
	return mat.DenseCopyOf(vectors.Slice(0, d, first, d))
}

// evaluate computes the widths of the directions and the steepness of the arms at the
// shares, and returns the value and the lower bound (*).
func (o *optimiser) evaluate() (value, bound float64) {
	n, rank := o.arms.Dims()
	v := mat.NewSymDense(rank, nil)
	for a, share := range o.shares {
		v.SymRankOne(v, share, o.arms.RowView(a))
	}
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		return math.Inf(1), 0
	}
	var columns mat.Dense
	_ = factor.SolveTo(&columns, o.directions.T()) // an ill-conditioned V is solved as well as can be
	o.products.Mul(o.arms, &columns)
	total := 0.0
	for g := range o.weights {
		o.widths[g] = mat.Dot(o.directions.RowView(g), columns.ColView(g))
		value = max(value, o.widths[g])
		total += o.weights[g] * o.widths[g]
	}
	steepest := 0.0
	for a := range n {
		o.steep[a] = 0
		for g, w := range o.weights {
			o.steep[a] += w * square(o.products.At(a, g))
		}
		steepest = max(steepest, o.steep[a])
	}
	return value, total * total / steepest
}

// step moves the shares by √s and the weights towards the widest directions, less
// and less boldly.
func (o *optimiser) step(number int) {
	sum := 0.0
	for a := range o.shares {
		o.shares[a] *= math.Sqrt(o.steep[a])
		sum += o.shares[a]
	}
	for a := range o.shares {
		o.shares[a] /= sum
	}
	widest := 0.0
	for _, width := range o.widths {
		widest = max(widest, width)
	}
	boldness := 2 * math.Sqrt(math.Log(float64(len(o.weights))+1)/float64(number))
	sum = 0
	for g, width := range o.widths {
		o.weights[g] *= math.Exp(boldness * (width/widest - 1))
		sum += o.weights[g]
	}
	for g := range o.weights {
		o.weights[g] /= sum
	}
}
