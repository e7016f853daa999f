package choice

import (
	"errors"
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
