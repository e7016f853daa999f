package design

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// An Allocation is a design in the long run: the share of slots for each arm.
type Allocation struct {
	Shares []float64 // λ_a ≥ 0, with sum one

	// Value is max_g ‖g‖²_{V(λ)⁻¹} over the directions of the criterion, with V(λ) = Σ_a λ_a·aa':
	// ρ(Λ) of the paper, to be divided by the number of slots.
	Value float64

	// Bound is a lower bound on the value of every allocation. So this allocation is within a
	// factor Value/Bound of the optimum: 1 + β of the theorems.
	Bound float64
}

// ErrNoDirections reports that all arms have the same features.
var ErrNoDirections = errors.New("design: the arms do not differ")

// Optimal returns an allocation that minimises the criterion over all shares, within a relative
// gap, or the best found in maxSteps. It solves
//
//	min_λ max_g g'V(λ)⁻¹g
//
// by weighting the directions: for weights w with C = Σ_g w_g·gg' and s_a = a'V⁻¹CV⁻¹a, every
// allocation has a value of at least
//
//	(Σ_g w_g·g'V⁻¹g)² / max_a s_a,                                     (*)
//
// because F(λ) = tr(V(λ)⁻¹C) is convex, homogeneous of degree −1, with gradient −s. Each step
// multiplies λ_a by √s_a, which lowers F, and moves the weights towards the directions that are
// currently widest. Optimal returns the best value and the best bound seen.
//
// Arms that do not span ℝᵈ are handled in the space they span; duplicate arms share. The memory is
// N times the number of directions, which suits some hundreds of arms.
func Optimal(c *choice.Catalogue, criterion Criterion, gap float64, maxSteps int) (Allocation, error) {
	var contrasts []Contrast
	for i := range c.Len() {
		if criterion == G {
			contrasts = append(contrasts, Contrast{i, -1, 1})
			continue
		}
		for j := range i {
			contrasts = append(contrasts, Contrast{i, j, 1})
		}
	}
	return OptimalFor(c, contrasts, gap, maxSteps)
}

// A Contrast is a direction to learn about: (a_Arm − a_Against)/Scale, or a_Arm/Scale if Against is
// negative. A smaller scale gives it more weight.
type Contrast struct {
	Arm, Against int
	Scale        float64
}

// OptimalFor is [Optimal] for the caller's directions, such as the differences to the best arm,
// each divided by its gap.
func OptimalFor(c *choice.Catalogue, contrasts []Contrast, gap float64, maxSteps int) (Allocation, error) {
	o, err := newOptimiser(c, contrasts)
	if err != nil {
		return Allocation{}, err
	}
	best := Allocation{Value: math.Inf(1)}
	for step := 1; step <= max(maxSteps, 1); step++ {
		value, bound := o.evaluate()
		best.Bound = max(best.Bound, bound)
		if value < best.Value {
			best.Value, best.Shares = value, append(best.Shares[:0], o.shares...)
		}
		if best.Value <= best.Bound*(1+gap) || math.IsInf(value, 1) {
			break
		}
		o.step(step)
	}
	if math.IsInf(best.Value, 1) {
		return Allocation{}, errors.New("design: the arms are too close to linearly dependent")
	}
	return o.prune(best), nil
}

// An optimiser holds the state of one call of Optimal.
type optimiser struct {
	arms       *mat.Dense // N×r, in a basis of the span of the arms
	directions *mat.Dense // G×r
	shares     []float64
	weights    []float64

	widths   []float64 // g'V⁻¹g
	steep    []float64 // s_a
	products mat.Dense // a'V⁻¹g
}

func newOptimiser(c *choice.Catalogue, contrasts []Contrast) (*optimiser, error) {
	arms, err := coordinates(c)
	if err != nil {
		return nil, err
	}
	n, rank := arms.Dims()
	o := &optimiser{arms: arms}
	var rows []float64
	for _, contrast := range contrasts {
		i, j := contrast.Arm, contrast.Against
		if j >= 0 && slices.Equal(c.Arm(i), c.Arm(j)) {
			continue // copies have no difference
		}
		for k := range rank {
			x := arms.At(i, k)
			if j >= 0 {
				x -= arms.At(j, k)
			}
			rows = append(rows, x/contrast.Scale)
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

// coordinates returns the arms in a basis of their span. The criterion depends neither on the basis
// nor on the units of the features. Features are scaled to length one first, so that one with small
// values does not count as zero.
func coordinates(c *choice.Catalogue) (*mat.Dense, error) {
	n, d := c.Len(), c.Dim()
	all := mat.NewDense(n, d, nil)
	for i := range n {
		all.SetRow(i, c.Arm(i))
	}
	for k := range d {
		column := mat.Col(nil, k, all)
		if length := mat.Norm(all.ColView(k), 2); length > 0 {
			for i := range column {
				column[i] /= length
			}
			all.SetCol(k, column)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(all, mat.SVDThin) {
		return nil, errors.New("design: the singular values of the arms did not converge")
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > 1e-10*values[0] {
		rank++
	}
	if rank == 0 {
		return nil, ErrNoDirections
	}
	var left mat.Dense
	svd.UTo(&left)
	return mat.DenseCopyOf(left.Slice(0, n, 0, rank)), nil
}

// prune removes arms with negligible shares, so that a short plan need not show them, as long as
// the value stays nearly the same.
func (o *optimiser) prune(best Allocation) Allocation {
	for _, least := range []float64{1e-2, 1e-3, 1e-4, 1e-6} {
		sum := 0.0
		for a, share := range best.Shares {
			o.shares[a] = 0
			if share >= least/float64(len(best.Shares)) {
				o.shares[a] = share
				sum += share
			}
		}
		for a := range o.shares {
			o.shares[a] /= sum
		}
		if value, _ := o.evaluate(); value <= best.Value*1.001 {
			return Allocation{Shares: o.shares, Value: value, Bound: best.Bound}
		}
	}
	return best
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
	_ = factor.SolveTo(&columns, o.directions.T()) // an ill-conditioned V is solved as well as possible
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

// step multiplies the shares by √s and moves the weights towards the widest directions, in
// decreasing steps.
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
