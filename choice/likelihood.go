package choice

import "gonum.org/v1/gonum/mat"

// A Likelihood is what an [Estimator] maximises: the log-likelihood of some picks
// as a function of θ, concave because every pick is a softmax of utilities that
// are linear in θ.
//
// Implementations keep scratch memory, so one value serves one goroutine at a
// time. Lengths that do not fit are programmer's errors and panic.
type Likelihood interface {
	// Names returns the name of each parameter. The caller must not change them.
	Names() []string

	// Picks returns the total weight of the picks.
	Picks() float64

	// LogLikelihood returns ℓ(θ) = Σ_s log μ_{y_s}(θ), a pick y_s for each s.
	LogLikelihood(theta []float64) float64

	// NullLogLikelihood returns what ℓ is when every pick is a fair draw.
	NullLogLikelihood() float64

	// Derivatives overwrites gradient with ∇ℓ(θ) = Σ_s (x_{y_s} − x̄_s) and
	// information with −∇²ℓ(θ) = Σ_s Cov_s(x), the mean x̄_s and the covariance
	// Cov_s taken under the softmax of question s at θ.
	Derivatives(theta, gradient []float64, information *mat.SymDense)

	// Evaluate does what LogLikelihood and Derivatives do, at once.
	Evaluate(theta, gradient []float64, information *mat.SymDense) (logLikelihood float64)

	// Spread returns an upper bound on how far v moves the utilities of one
	// question apart: max |(x_i − x_j)'v| over all questions and their arms i, j.
	Spread(v []float64) float64

	// Margins returns the least and the greatest value of
	//
	//	(x_y − x_j)'v / Σ_k |v_k·(x_y − x_j)_k|   (0 where x_y and x_j do not differ)
	//
	// over all picks y and all the arms j they were preferred to: from −1 to 1, how
	// far moving θ along v helps the picks that were made. If it hurts none and helps
	// some, v separates the picks.
	Margins(v []float64) (least, greatest float64)
}
