package choice

import "gonum.org/v1/gonum/mat"

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
