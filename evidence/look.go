package evidence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// A Look is the evidence at one time: the minimum of G, and how fast G rises from there. Along v the third derivative of a
// softmax log-likelihood is at most r times the second, where r is the widest range of utilities that v opens in a question, and
// the log of a sum of exponentials lies above its tangents, hence
//
//	G(θ_0 + v) ≥ G(θ_0) + ∇G(θ_0)'v + s²·φ(r),   φ(r) = (e^{−r} + r − 1)/r²,        (*)
//
// with s = ‖v‖ in the curvature H̄ = Σ_k π_k·H_k + ridge at θ_0, and r ≤ ρ·s for ρ = 2·max_i ‖x_i‖_{H̄⁻¹}. So an arm is refuted,
// without a search, if its half-space is far enough ([Look.AgainstLead]); otherwise [Look.Infimum] searches.
type Look struct {
	Theta []float64 // θ_0, near the minimum of G

	evidence *Anytime
	value    float64 // G(θ_0), minus the most that the ridge adds
	least    float64 // a lower bound on G everywhere
	residual float64 // ‖∇G(θ_0)‖ in H̄⁻¹
	rho      float64
	factor   mat.Cholesky // of H̄
	solved   mat.VecDense

	values, shares, shifted []float64 // of the starts: log w·E at θ_0, and the share of the answers since
}

const maxSteps = 60

// settledRange bounds ρ·‖e‖, where e is the remaining gradient. Below it (*) gives G(θ_0 + v) ≥ G(θ_0) − ‖e‖² for all v: −‖e‖s +
// s²φ(ρs) is at least −‖e‖² for s ≤ 1/ρ, where φ(ρs) ≥ 1/e > 0.36, and not negative beyond, where s·φ(ρs) ≥ 0.36/ρ because it
// only grows.
const settledRange = 0.36

// Look finds the minimum of G, searching from start. It reports false if the search did not converge; then no θ is refuted.
func (a *Anytime) Look(start []float64) (*Look, bool) {
	if len(a.state.Starts) == 0 {
		return nil, false
	}
	d := a.arms.Dim()
	l := &Look{evidence: a, Theta: append([]float64(nil), start...)}
	gradient, curvature, hessian := make([]float64, d), mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	value := a.value(l.Theta)
	trial, step, metric := make([]float64, d), make([]float64, d), mat.NewSymDense(d, nil)
	for range maxSteps {
		a.differentiate(l.Theta, gradient, curvature, hessian)
		if metric.CopySym(curvature); !solve(step, metric, gradient) {
			return nil, false
		}
		if l.residual = math.Sqrt(floats.Dot(gradient, step)); l.residual < 0.05 {
			l.factor.Factorize(curvature)
			l.value = value - a.ridgeCost
			l.values, l.shifted = slices.Clone(a.values), make([]float64, len(a.values))
			all := floats.Sum(a.tally.Asked())
			for _, start := range a.state.Starts {
				l.shares = append(l.shares, 1-floats.Sum(start.Asked)/max(all, 1))
			}
			l.rho = a.widest(&l.factor)
			if l.least = a.floor(); l.rho*l.residual <= settledRange {
				l.least = max(l.least, l.value-l.residual*l.residual)
			}
			return l, true
		}
		if !solve(step, hessian, gradient) { // the ridge keeps the step good enough to descend
			return nil, false
		}
		next, ok := a.descend(l.Theta, trial, step, -1, value, floats.Dot(gradient, step))
		if !ok {
			return nil, false
		}
		value = next
	}
	return nil, false
}

// solve sets x to A⁻¹b, and overwrites A. It returns false unless A is positive definite. Unlike [mat.Cholesky] it does not
// estimate the condition of A, which takes most of the time in few dimensions.
func solve(x []float64, a *mat.SymDense, b []float64) bool {
	factor, ok := lapack64.Potrf(a.RawSymmetric())
	if ok {
		copy(x, b)
		lapack64.Potrs(factor, blas64.General{Rows: len(x), Cols: 1, Stride: 1, Data: x})
	}
	return ok
}

// descend moves theta by a step times sign as far as that lowers the value.
func (a *Anytime) descend(theta, trial, step []float64, sign, value, slope float64) (float64, bool) {
	for length := 1.0; length > 1e-8; length /= 2 {
		floats.AddScaledTo(trial, theta, sign*length, step)
		if next := a.value(trial); next <= value-0.1*length*slope {
			copy(theta, trial)
			return next, true
		}
	}
	return value, false
}

// widest returns 2·max_i ‖x_i‖ in the inverse of the factorised matrix, over the seen arms.
func (a *Anytime) widest(factor *mat.Cholesky) float64 {
	most := 0.0
	var solved mat.VecDense
	for _, arm := range a.tally.Seen() {
		x := mat.NewVecDense(a.arms.Dim(), a.arms.Arm(arm))
		_ = factor.SolveVecTo(&solved, x)
		most = max(most, mat.Dot(x, &solved))
	}
	return 2 * math.Sqrt(most)
}

// Guess approximates the evidence at a distance of z = s²/2 from θ_0 in the information of all answers, if every answer adds the
// same: the least G if each start has its share of z. It is cheap, but not a bound.
func (l *Look) Guess(z float64) float64 {
	for k := range l.shifted {
		l.shifted[k] = l.values[k] + l.shares[k]*z
	}
	return choice.LogSumExp(l.shifted)
}

// Factor returns the Cholesky factor of the curvature H̄, in which distances are measured. The caller must not change it.
func (l *Look) Factor() *mat.Cholesky { return &l.factor }

// Least returns a lower bound on log M over all θ.
func (l *Look) Least() float64 { return l.least }

// square returns ‖v‖² in H̄⁻¹.
func (l *Look) square(v []float64) float64 {
	x := mat.NewVecDense(len(v), v)
	_ = l.factor.SolveVecTo(&l.solved, x) // the ridge keeps it regular
	return mat.Dot(x, &l.solved)
}

// rise is s²·φ(ρ·s) minus the largest effect of the gradient: a lower bound on how much G rises over a distance s.
func (l *Look) rise(s float64) float64 { return rise(s, l.rho, l.residual) }

func rise(s, rho, residual float64) float64 {
	r := rho * s
	if r < 1e-4 {
		return s*s/2*(1-r/3) - residual*s
	}
	return s*s*(math.Exp(-r)+r-1)/(r*r) - residual*s
}

// Lead returns the lead of an arm over another at θ_0, given the difference g of their features,
// and its standard error, the width.
func (l *Look) Lead(g []float64) (lead, width float64) {
	return floats.Dot(g, l.Theta), math.Sqrt(l.square(g))
}

// AgainstLead returns a lower bound on log M over all θ under which a lead has vanished, by (*) and without a search. lead and
// width come from [Look.Lead]; to test that the arm is behind by ε, add ε to the lead.
func (l *Look) AgainstLead(lead, width float64) float64 {
	if lead <= 0 || width == 0 {
		return l.least
	}
	s := lead / width
	if rise := (1 - math.Exp(-l.rho*s)) / max(l.rho, 1e-12); rise < l.residual {
		return l.least // too near: G may fall
	}
	return l.value + l.rise(s)
}

// Radius returns the largest distance, in standard errors, of any θ not refuted at level δ from θ_0. With probability 1 − δ, at
// all times at once, the lead of one arm over another lies within Radius times its width of the lead at θ_0.
func (l *Look) Radius(delta float64) float64 {
	return risesWithin(math.Log(1/delta)-l.value, l.rho, l.residual)
}

// risesWithin returns the least distance at which the rise reaches the needed value.
func risesWithin(needed, rho, residual float64) float64 {
	high := 1.0
	for rise(high, rho, residual) < needed {
		if high *= 2; high > 1e9 {
			return math.Inf(1)
		}
	}
	low := 0.0
	for range 60 {
		if middle := (low + high) / 2; rise(middle, rho, residual) < needed {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Infimum returns a lower bound on log M over all θ with lead'θ ≤ −ε, sharper than AgainstLead: the least G on the plane lead'θ =
// −ε, minus the error of the search. It returns −∞ if the search did not converge.
func (l *Look) Infimum(lead []float64, epsilon float64) float64 {
	if -floats.Dot(lead, l.Theta) >= epsilon {
		return l.least
	}
	found, ok := l.nearest(lead, epsilon)
	if !ok {
		return math.Inf(-1)
	}
	return found.least
}

// A nearest is the point θ_1 of a half-space g'θ ≥ ε where G is least, up to the error of the search. With ∇G = μ·g + e and μ ≥
// 0, (*) with θ_1 for θ_0 gives G(θ_1) − ‖e‖² over the half-space, if ρ·‖e‖ is at most settledRange.
type nearest struct {
	theta  []float64
	least  float64      // a lower bound on G over the half-space
	error  []float64    // e
	left   float64      // ‖e‖² in H̄⁻¹
	rho    float64      // 2·max_i ‖x_i‖_{H̄⁻¹}
	factor mat.Cholesky // of H̄ at θ_1
}

// nearest searches the plane lead'θ = −ε.
func (l *Look) nearest(lead []float64, epsilon float64) (*nearest, bool) {
	a := l.evidence
	d := a.arms.Dim()
	g := make([]float64, d)
	floats.AddScaled(g, -1, lead)
	theta := append([]float64(nil), l.Theta...)
	normal := mat.NewVecDense(d, g)
	var towards, step mat.VecDense
	_ = l.factor.SolveVecTo(&towards, normal)
	floats.AddScaled(theta, (epsilon-floats.Dot(g, theta))/floats.Dot(g, towards.RawVector().Data), towards.RawVector().Data)
	gradient, curvature, hessian := make([]float64, d), mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	trial := make([]float64, d)
	value := a.value(theta)
	var factor mat.Cholesky
	for range maxSteps {
		a.differentiate(theta, gradient, curvature, hessian)
		if !factor.Factorize(hessian) {
			return nil, false
		}
		_ = factor.SolveVecTo(&towards, normal)
		_ = factor.SolveVecTo(&step, mat.NewVecDense(d, gradient))
		mu := floats.Dot(g, step.RawVector().Data) / floats.Dot(g, towards.RawVector().Data)
		step.AddScaledVec(&step, -mu, &towards)
		squared := floats.Dot(gradient, step.RawVector().Data)
		if squared < 1e-4 && mu >= 0 {
			if found, ok := a.settled(theta, gradient, g, curvature, value, mu, epsilon); ok || squared < 1e-12 {
				return found, ok
			}
		}
		next, ok := a.descend(theta, trial, step.RawVector().Data, -1, value, squared)
		if !ok {
			return nil, false
		}
		value = next
	}
	return nil, false
}

// settled measures the error of the search.
func (a *Anytime) settled(theta, gradient, g []float64, curvature *mat.SymDense, value, mu, epsilon float64) (*nearest, bool) {
	n := &nearest{theta: theta}
	if !n.factor.Factorize(curvature) {
		return nil, false
	}
	floats.AddScaled(gradient, -mu, g)
	n.error = slices.Clone(gradient)
	e := mat.NewVecDense(len(g), gradient)
	var solved mat.VecDense
	_ = n.factor.SolveVecTo(&solved, e)
	n.left, n.rho = mat.Dot(e, &solved), a.widest(&n.factor)
	if !(n.rho*math.Sqrt(n.left) <= settledRange) {
		return nil, false
	}
	beyond := max(0, floats.Dot(g, theta)-epsilon) // beyond the plane by rounding
	n.least = value - n.left - mu*beyond - a.ridgeCost
	return n, true
}

// Vanished returns the point nearest to θ_0 where lead'θ = −ε.
func (l *Look) Vanished(lead []float64, epsilon float64) []float64 {
	var towards mat.VecDense
	_ = l.factor.SolveVecTo(&towards, mat.NewVecDense(len(lead), lead)) // the ridge keeps it regular
	theta, g := slices.Clone(l.Theta), towards.RawVector().Data
	floats.AddScaled(theta, -(floats.Dot(lead, theta)+epsilon)/floats.Dot(lead, g), g)
	return theta
}
