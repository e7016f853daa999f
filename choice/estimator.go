package choice

import (
	"errors"
	"iter"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// An Estimator finds the θ that maximises the penalised log-likelihood
//
//	f(θ) = ℓ(θ) − (RidgeOnSum + n·RidgeOnMean)·‖θ‖²,   n = Picks(),
//
// by Newton's method: s solves H·s = ∇f with H = −∇²f, and λ² = s'Hs is the square
// of the Newton decrement.
//
// How far a step can be trusted is known beforehand. Along s, the third derivative
// of a softmax log-likelihood is at most r times the second, r being the widest
// range of utilities that s opens within any question. Hence
//
//	f(θ+ts) − f(θ) ≥ λ²·(t − (e^{rt} − rt − 1)/r²)             (a)
//	λ²(θ+s)        ≤ λ²·e^r·((e^r − r − 1)/r)²                 (b)
//
// By (a) a full step with r ≤ 1 gains at least λ²/4 and needs no line search. With
// r > 1 a full step is tried and halved until it gains enough, at most down to
// t = log(1+r)/r, which maximises the right side of (a) and always gains: the
// search ends. By (b) the decrement after a step is bounded without computing it,
// which saves the evaluation that would only confirm it.
//
// Without a ridge the maximum may not exist or not be unique. Fit recognises that
// and returns [ErrNoPicks], [*ConstantError], [*CollinearError],
// [*SeparationError] or [*ScaleError], which name the parameters to blame.
//
// The zero value is ready for use. An Estimator keeps its scratch memory, so one
// value serves one goroutine at a time, and a second fit of the same size
// allocates nothing.
type Estimator struct {
	// RidgeOnSum penalises the log-likelihood. Defaults to 0.
	RidgeOnSum float64

	// RidgeOnMean penalises the mean log-likelihood of a pick, as the paper's
	// experiments need. Defaults to 0.
	RidgeOnMean float64

	// Tolerance is the largest half squared Newton decrement, the distance to the
	// maximum in units of log-likelihood, at which a fit is done. Defaults to 1e-12.
	Tolerance float64

	// MaxIterations is the largest number of Newton steps. Defaults to 100.
	MaxIterations int

	value       float64 // f at the point reached; NaN if unknown
	gradient    []float64
	information *mat.SymDense
	scale       []float64 // 1/√H_kk
	factor      []float64 // Cholesky factor of the scaled information
	step        []float64
	trial       []float64
}

// A Fit describes the iterations that led to an estimate.
type Fit struct {
	Iterations int     // Newton steps taken
	Decrement  float64 // bound on the half squared Newton decrement at the end
}

const (
	defaultTolerance     = 1e-12
	defaultMaxIterations = 100

	// settledRange is how little a step must change utilities before a small decrement means that
	// the maximum is near: if picks are separated, the decrement falls without end while every step
	// changes utilities by about one.
	settledRange = 0.1

	// patience is the number of steps before diagnose looks for separation. Most fits converge in
	// fewer.
	patience = 3

	// pivotTolerance is the share of a parameter's information that must be its
	// own, not shared with the other parameters: one less the squared multiple
	// correlation. Below it rounding decides.
	pivotTolerance = 1e-12

	// separationTolerance is how far a direction may go against a pick, relative to what it moves
	// there, and still count as separating. It allows for rounding.
	separationTolerance = 1e-9

	// negligible is the share of the largest effect below which a parameter does not count as part
	// of a direction.
	negligible = 1e-7
)

// Fit moves theta, which holds the start, to the maximum. If the maximum cannot be reached from the
// start, because every pick looks certain there, Fit starts again from zero. After an error theta
// holds the last point reached, which is finite.
func (e *Estimator) Fit(l Likelihood, theta []float64) (Fit, error) {
	if len(theta) != len(l.Names()) {
		panic("choice: θ must have one entry for each parameter")
	}
	if floats.HasNaN(theta) {
		panic("choice: the start must be finite")
	}
	if !(e.RidgeOnSum >= 0 && e.RidgeOnMean >= 0) {
		panic("choice: a ridge must not be negative")
	}
	e.resize(len(theta))
	ridge := e.ridge(l)
	if ridge == 0 && l.Picks() == 0 {
		return Fit{}, ErrNoPicks
	}
	fromZero := floats.Norm(theta, 1) == 0
	fit, err := e.climb(l, ridge, theta)
	if err == nil || fromZero {
		return fit, err
	}
	if _, short := errors.AsType[*ConvergenceError](err); !short {
		return fit, err
	}
	clear(theta)
	return e.climb(l, ridge, theta)
}

// climb takes Newton steps from theta.
func (e *Estimator) climb(l Likelihood, ridge float64, theta []float64) (fit Fit, err error) {
	tolerance, maxIterations := e.Tolerance, e.MaxIterations
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	if maxIterations == 0 {
		maxIterations = defaultMaxIterations
	}
	e.differentiate(l, ridge, theta)
	for {
		if !e.factorise(ridge == 0 && fit.Iterations == 0) {
			return fit, e.diagnose(l, ridge, fit, theta)
		}
		e.solve()
		squared := floats.Dot(e.gradient, e.step) // λ²
		r := l.Spread(e.step)
		if ridge == 0 && r > settledRange && fit.Iterations >= patience && e.separates(l, e.step) {
			return fit, e.separation(l, e.step)
		}
		if fit.Iterations == maxIterations || !(r <= math.MaxFloat64) {
			return fit, e.diagnose(l, ridge, fit, theta)
		}
		fit.Iterations++
		if r > 1 {
			e.search(l, ridge, theta, squared, r)
			continue
		}
		floats.Add(theta, e.step)
		if fit.Decrement = squared / 2 * contraction(r); r <= settledRange && fit.Decrement <= tolerance {
			return fit, nil
		}
		e.differentiate(l, ridge, theta)
	}
}

// contraction is the factor of inequality (b).
func contraction(r float64) float64 {
	if r < 1e-5 {
		return r * r / 4 // the limit; the formula would cancel
	}
	c := (math.Expm1(r) - r) / r
	return math.Exp(r) * c * c
}

func (e *Estimator) ridge(l Likelihood) float64 {
	return e.RidgeOnSum + e.RidgeOnMean*l.Picks()
}

func (e *Estimator) resize(d int) {
	if len(e.gradient) == d {
		return
	}
	e.gradient = make([]float64, d)
	e.information = mat.NewSymDense(d, nil)
	e.scale = make([]float64, d)
	e.factor = make([]float64, d*d)
	e.step = make([]float64, d)
	e.trial = make([]float64, d)
}

// differentiate sets the gradient and the information of f at theta. The value is
// not needed unless a long step follows.
func (e *Estimator) differentiate(l Likelihood, ridge float64, theta []float64) {
	l.Derivatives(theta, e.gradient, e.information)
	e.penalise(ridge, theta)
	e.value = math.NaN()
}

// evaluate sets the value as well.
func (e *Estimator) evaluate(l Likelihood, ridge float64, theta []float64) {
	e.value = l.Evaluate(theta, e.gradient, e.information) - ridge*floats.Dot(theta, theta)
	e.penalise(ridge, theta)
}

// penalise adds the ridge's part to the derivatives.
func (e *Estimator) penalise(ridge float64, theta []float64) {
	if ridge == 0 {
		return
	}
	floats.AddScaled(e.gradient, -2*ridge, theta)
	h := cells(e.information, len(theta))
	for k := range theta {
		h[k*len(theta)+k] += 2 * ridge
	}
}

// factorise sets factor to the Cholesky factor of SHS, S scaling the diagonal of H
// to ones so that the units of the features do not matter. It reports false where
// H cannot be told from a singular matrix; strictly, that is by pivotTolerance,
// otherwise by failure.
func (e *Estimator) factorise(strictly bool) bool {
	d := len(e.gradient)
	h := cells(e.information, d)
	for k := range d {
		if !inRange(h[k*d+k]) {
			return false
		}
		e.scale[k] = 1 / math.Sqrt(h[k*d+k])
	}
	for k := range d {
		for l := k; l < d; l++ {
			e.factor[k*d+l] = h[k*d+l] * e.scale[k] * e.scale[l]
		}
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{N: d, Stride: d, Data: e.factor, Uplo: blas.Upper})
	for k := 0; ok && strictly && k < d; k++ {
		pivot := e.factor[k*d+k]
		ok = pivot*pivot > pivotTolerance
	}
	return ok
}

// inRange reports whether a number is far enough from both ends of the range of
// doubles to compute with.
func inRange(x float64) bool { return x > 1e-280 && x < 1e280 }

// triangle returns the factor as LAPACK wants it.
func (e *Estimator) triangle() blas64.Triangular {
	d := len(e.gradient)
	return blas64.Triangular{N: d, Stride: d, Data: e.factor, Uplo: blas.Upper, Diag: blas.NonUnit}
}

// solve sets step to H⁻¹∇f from the factor.
func (e *Estimator) solve() {
	floats.MulTo(e.step, e.gradient, e.scale)
	lapack64.Potrs(e.triangle(), blas64.General{Rows: len(e.step), Cols: 1, Stride: 1, Data: e.step})
	floats.Mul(e.step, e.scale)
}

// invert returns H⁻¹ from the factor, which it overwrites.
func (e *Estimator) invert() *mat.SymDense {
	d := len(e.gradient)
	lapack64.Potri(e.triangle())
	inverse := mat.NewSymDense(d, nil)
	for k := range d {
		for l := k; l < d; l++ {
			inverse.SetSym(k, l, e.factor[k*d+l]*e.scale[k]*e.scale[l])
		}
	}
	return inverse
}

// search moves theta along the step, which opens a range r > 1 of utilities, and
// evaluates there. The length t of the move gains at least a quarter of what the
// slope promises, or else it is the one that gains for sure by inequality (a).
func (e *Estimator) search(l Likelihood, ridge float64, theta []float64, squared, r float64) {
	switch {
	case floats.Norm(theta, 1) == 0:
		e.value = l.NullLogLikelihood()
	case math.IsNaN(e.value):
		e.value = l.LogLikelihood(theta) - ridge*floats.Dot(theta, theta)
	}
	start, safe := e.value, math.Log1p(r)/r
	for t := 1.0; ; t /= 2 {
		t = max(t, safe)
		floats.AddScaledTo(e.trial, theta, t, e.step)
		e.evaluate(l, ridge, e.trial)
		if t == safe || e.value-start >= t*squared/4 {
			copy(theta, e.trial)
			return
		}
	}
}

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
