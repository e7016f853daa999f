package choice

import (
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An Estimate is a maximum-likelihood estimate with its covariance and the statistics of its fit.
type Estimate struct {
	Names []string  // of the parameters
	Theta []float64 // θ̂, in the order of Names

	// Covariance is the inverse of the information at Theta, the ridge included.
	Covariance *mat.SymDense

	Picks             float64 // total weight
	LogLikelihood     float64 // without the ridge
	NullLogLikelihood float64 // if every pick were a uniform draw
	GradientNorm      float64 // Euclidean norm of ∇f at Theta
	Fit               Fit
}

// Estimate fits from θ = 0 and returns the estimate with its covariance. For a fit in an inner
// loop, or from a warm start, use [Estimator.Fit].
func (e *Estimator) Estimate(l Likelihood) (*Estimate, error) {
	theta := make([]float64, len(l.Names()))
	fit, err := e.Fit(l, theta)
	if err != nil {
		return nil, err
	}
	ridge := e.ridge(l)
	e.evaluate(l, ridge, theta)
	if !e.factorise(false) {
		return nil, e.diagnose(l, ridge, fit, theta)
	}
	covariance := e.invert()
	if p, ok := l.(interface {
		project(covariance *mat.SymDense)
	}); ok {
		p.project(covariance)
	}
	return &Estimate{
		Names:             l.Names(),
		Theta:             theta,
		Covariance:        covariance,
		Picks:             l.Picks(),
		LogLikelihood:     e.value + ridge*floats.Dot(theta, theta),
		NullLogLikelihood: l.NullLogLikelihood(),
		GradientNorm:      floats.Norm(e.gradient, 2),
		Fit:               fit,
	}, nil
}

// StandardErrors returns the square roots of the diagonal of a covariance.
func StandardErrors(covariance *mat.SymDense) []float64 {
	errors := make([]float64, covariance.SymmetricDim())
	for k := range errors {
		errors[k] = math.Sqrt(max(0, covariance.At(k, k))) // rounding may leave a tiny negative number
	}
	return errors
}

// RobustCovariance returns the sandwich estimator
//
//	Σ · (Σ_c g_c·g_c') · Σ · G/(G−1),   Σ the covariance of the estimate,
//
// with g_c the gradient of the log-likelihood of cluster c at the estimate and G the number of
// clusters. With one cluster per respondent it stays valid if the answers of one respondent are
// correlated; Σ alone does not. It is reliable only for many clusters. With fewer than two clusters
// it returns nil. A score may stand for a number of equal clusters.
func (e *Estimate) RobustCovariance(scores iter.Seq2[[]float64, float64]) *mat.SymDense {
	d := len(e.Theta)
	meat := make([]float64, d*d)
	clusters := 0.0
	for score, times := range scores {
		addOuter(meat, times, score)
		clusters += times
	}
	if clusters < 2 {
		return nil
	}
	var half, whole mat.Dense
	half.Mul(e.Covariance, mat.NewSymDense(d, meat))
	whole.Mul(&half, e.Covariance)
	robust := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			robust.SetSym(i, j, whole.At(i, j)*clusters/(clusters-1))
		}
	}
	return robust
}

// A Likelihood is the log-likelihood of some picks as a function of θ, which an [Estimator]
// maximises. It is concave because every pick is a softmax of utilities that are linear in θ.
//
// Implementations keep scratch memory, so a value is not safe for concurrent use. Slices of the
// wrong length are programming errors and panic.
type Likelihood interface {
	// Names returns the name of each parameter. The caller must not change them.
	Names() []string

	// Picks returns the total weight of the picks.
	Picks() float64

	// LogLikelihood returns ℓ(θ) = Σ_s log μ_{y_s}(θ), a pick y_s for each s.
	LogLikelihood(theta []float64) float64

	// NullLogLikelihood returns the null log-likelihood LL(0), in which every pick is a uniform
	// draw.
	NullLogLikelihood() float64

	// Derivatives overwrites gradient with ∇ℓ(θ) = Σ_s (x_{y_s} − x̄_s) and
	// information with −∇²ℓ(θ) = Σ_s Cov_s(x), the mean x̄_s and the covariance
	// Cov_s taken under the softmax of question s at θ.
	Derivatives(theta, gradient []float64, information *mat.SymDense)

	// Evaluate combines LogLikelihood and Derivatives in one pass.
	Evaluate(theta, gradient []float64, information *mat.SymDense) (logLikelihood float64)

	// Spread returns an upper bound on how far v moves the utilities of one
	// question apart: max |(x_i − x_j)'v| over all questions and their arms i, j.
	Spread(v []float64) float64

	// Margins returns the least and the greatest value of
	//
	//	(x_y − x_j)'v / Σ_k |v_k·(x_y − x_j)_k|   (0 if x_y = x_j)
	//
	// over all picks y and all arms j that they were preferred to. The values are between −1 and 1
	// and measure how much moving θ along v helps the picks made. If it hurts none and helps some,
	// v separates the picks.
	Margins(v []float64) (least, greatest float64)
}
