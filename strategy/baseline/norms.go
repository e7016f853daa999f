package baseline

import (
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/design"
)

// normsOf returns the norms under a V whose inverse is not maintained.
func normsOf(c *choice.Catalogue, v *mat.SymDense) norms {
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		panic("strategy: V is not positive definite")
	}
	if c.Len() > design.MaxProducts {
		return newDistances(c, &factor)
	}
	return &solvedNorms{catalogue: c, factor: &factor, difference: mat.NewVecDense(c.Dim(), nil)}
}

// solvedNorms computes each norm by solving with the factor of V.
type solvedNorms struct {
	catalogue  *choice.Catalogue
	factor     *mat.Cholesky
	difference *mat.VecDense
	solved     mat.VecDense
}

// Gap returns ‖a_i − a_j‖²_{V⁻¹}.
func (n *solvedNorms) Gap(i, j int) float64 {
	for k := range n.catalogue.Dim() {
		n.difference.SetVec(k, n.catalogue.Arm(i)[k]-n.catalogue.Arm(j)[k])
	}
	_ = n.factor.SolveVecTo(&n.solved, n.difference) // an ill-conditioned V is solved as well as possible
	return mat.Dot(n.difference, &n.solved)
}

// distances computes the norms between one arm and all others at once, for the leader among very
// many arms.
type distances struct {
	catalogue *choice.Catalogue
	root      *mat.Dense // Q with V⁻¹ = QQ'
	from      int        // the arm, or -1
	squared   []float64
}

func newDistances(c *choice.Catalogue, factor *mat.Cholesky) *distances {
	var triangle, inverted mat.TriDense
	factor.UTo(&triangle)
	_ = inverted.InverseTri(&triangle) // an ill-conditioned V is inverted as well as possible
	return &distances{catalogue: c, root: mat.DenseCopyOf(&inverted), from: -1, squared: make([]float64, c.Len())}
}

// Gap returns ‖a_i − a_j‖²_{V⁻¹}.
func (n *distances) Gap(i, j int) float64 {
	if n.from != i {
		n.catalogue.Distances(n.squared, n.root, n.catalogue.Arm(i))
		n.from = i
	}
	return n.squared[j]
}
