package theory

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// errNoDirections reports that all arms have the same features.
var errNoDirections = errors.New("theory: the arms do not differ")

// A contrast is a direction to learn about: (a_arm − a_against)/scale, or a_arm/scale if against is
// negative. A smaller scale gives it more weight.
type contrast struct {
	arm, against int
	scale        float64
}

// optimalWidth returns the least value of the contrasts' directions g over all shares λ of the arms,
// within a relative gap or the best found in maxSteps, and a lower bound on it. It solves
//
//	min_λ max_g g'V(λ)⁻¹g,   V(λ) = Σ_a λ_a·aa',
//
// by weighting the directions: for weights w with C = Σ_g w_g·gg' and s_a = a'V⁻¹CV⁻¹a, all shares
// have a value of at least
//
//	(Σ_g w_g·g'V⁻¹g)² / max_a s_a,                                     (*)
//
// because F(λ) = tr(V(λ)⁻¹C) is convex, homogeneous of degree −1, with gradient −s. Each step
// multiplies λ_a by √s_a, which lowers F, and moves the weights towards the directions that are
// currently widest.
//
// Arms that do not span ℝᵈ are handled in the space they span. The memory is N times the number of
// directions, which suits some hundreds of arms.
func optimalWidth(c *choice.Catalogue, contrasts []contrast, gap float64, maxSteps int) (value, bound float64, err error) {
	o, err := newOptimiser(c, contrasts)
	if err != nil {
		return 0, 0, err
	}
	value = math.Inf(1)
	for step := range maxSteps {
		v, b := o.evaluate()
		value, bound = min(value, v), max(bound, b)
		if value <= bound*(1+gap) || math.IsInf(v, 1) {
			break
		}
		o.step(step + 1)
	}
	if math.IsInf(value, 1) {
		return 0, 0, errors.New("theory: the arms are too close to linearly dependent")
	}
	return value, bound, nil
}

// An optimiser holds the state of one call of optimalWidth.
type optimiser struct {
	arms       *mat.Dense // N×r, in a basis of the span of the arms
	directions *mat.Dense // G×r
	shares     []float64
	weights    []float64

	widths   []float64 // g'V⁻¹g
	steep    []float64 // s_a
	products mat.Dense // a'V⁻¹g
}

func newOptimiser(c *choice.Catalogue, contrasts []contrast) (*optimiser, error) {
	arms, err := coordinates(c)
	if err != nil {
		return nil, err
	}
	n, rank := arms.Dims()
	o := &optimiser{arms: arms}
	var rows []float64
	for _, contrast := range contrasts {
		i, j := contrast.arm, contrast.against
		if j >= 0 && slices.Equal(c.Arm(i), c.Arm(j)) {
			continue // copies have no difference
		}
		for k := range rank {
			x := arms.At(i, k)
			if j >= 0 {
				x -= arms.At(j, k)
			}
			rows = append(rows, x/contrast.scale)
		}
	}
	if len(rows) == 0 {
		return nil, errNoDirections
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
		return nil, errors.New("theory: the singular values of the arms did not converge")
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > 1e-10*values[0] {
		rank++
	}
	if rank == 0 {
		return nil, errNoDirections
	}
	var left mat.Dense
	svd.UTo(&left)
	return mat.DenseCopyOf(left.Slice(0, n, 0, rank)), nil
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
