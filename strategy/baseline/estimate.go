package baseline

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
)

// An estimate is θ̂ of the answers counted, with the paper's ridge on the mean log-likelihood, and
// the utilities of the arms at θ̂.
type estimate struct {
	catalogue *choice.Catalogue
	tally     *choice.Tally
	estimator choice.Estimator
	linear    *choice.Linear
	theta     []float64
	utilities []float64
	leader    int
}

// tolerance leaves θ̂ within √(2·1e-9) = 5e-5 standard errors of the maximum. No decision depends
// on the difference, and one Newton step per answer reaches it.
const tolerance = 1e-9

func newEstimate(c *choice.Catalogue, ridge float64) *estimate {
	tally := choice.NewTally(c.Len())
	return &estimate{
		catalogue: c,
		tally:     tally,
		estimator: choice.Estimator{RidgeOnMean: ridge, Tolerance: tolerance},
		linear:    choice.NewLinear(c, tally),
		theta:     make([]float64, c.Dim()),
		utilities: make([]float64, c.Len()),
	}
}

// update fits θ̂ to the answers, starting from the last estimate. With a ridge the maximum exists.
// If the search is cut short, θ̂ is the last point reached.
func (e *estimate) update() {
	_, _ = e.estimator.Fit(e.linear, e.theta)
	e.leader = 0 // the first of the best
	e.catalogue.Multiply(e.utilities, e.theta)
	for arm, utility := range e.utilities {
		if utility > e.utilities[e.leader] {
			e.leader = arm
		}
	}
}

// norms computes ‖a_i − a_j‖²_{V⁻¹}.
type norms interface{ Gap(i, j int) float64 }

// decided reports whether the leader is certainly best (the stopping condition, equation 5 of the
// paper; only the leader can fulfil it).
func (e *estimate) decided(bound evidence.PaperBound, width float64, gaps norms) bool {
	for arm := range e.utilities {
		if !e.decides(bound, e.leader, arm, width, gaps) {
			return false
		}
	}
	return true
}

// decides reports whether one arm is certainly at least as good as another. That holds for an arm and its copies.
func (e *estimate) decides(bound evidence.PaperBound, better, arm int, width float64, gaps norms) bool {
	return bound.Decides(e.utilities[better]-e.utilities[arm], gaps.Gap(better, arm), width)
}

// contenders returns the leader and the arms not eliminated against it.
func (e *estimate) contenders(bound evidence.PaperBound, width float64, gaps norms) []int {
	list := []int{e.leader}
	for arm := range e.utilities {
		if !e.decides(bound, e.leader, arm, width, gaps) {
			list = append(list, arm)
		}
	}
	return list
}

// challenger returns the arm with the largest upper bound on its lead over the leader, (a_j − a_i)'θ̂ + width·‖a_i − a_j‖_{V⁻¹}.
func (e *estimate) challenger(width float64, gaps norms) int {
	best, top := -1, math.Inf(-1)
	for arm, utility := range e.utilities {
		if arm == e.leader {
			continue
		}
		if upper := utility - e.utilities[e.leader] + width*math.Sqrt(gaps.Gap(e.leader, arm)); upper > top {
			best, top = arm, upper
		}
	}
	return best
}

// distances computes the norms between one arm and all others at once, under a V whose inverse is not maintained.
type distances struct {
	catalogue *choice.Catalogue
	root      *mat.Dense // Q with V⁻¹ = QQ'
	from      int        // the arm, or -1
	squared   []float64
}

func newDistances(c *choice.Catalogue, v *mat.SymDense) *distances {
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		panic("baseline: V is not positive definite")
	}
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
