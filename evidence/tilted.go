package evidence

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// TiltedInfimum returns a lower bound on log(M + T) over all θ with lead'θ ≤ −ε, where T is the
// evidence of Tilts against an arm. It is sharp only up to a level: it returns at most that, unless M
// alone exceeds it. It returns −∞ if the search did not converge.
//
// Let θ_1 be the point of the half-space where G ≤ log M is least. Where G ≥ level nothing is left to
// show. Every other θ of the half-space lies in an ellipsoid B around θ_1, see [neighbourhood]. For f = log T,
// any u between 0 and 1, and any weights π and ϱ of the starts that sum to 1,
//
//	log(e^G + e^f) ≥ F(θ) = u·Σ_k π_k·(g_k(θ) − log π_k) + (1−u)·Σ_m ϱ_m·(f_m(θ) − log ϱ_m) + η(u),
//
// where η(u) = −u·log u − (1−u)·log(1−u): the log of a sum of exponentials is the largest weighted mean
// plus entropy. The Hessian of F is
//
//	Σ_q [ u·n_q·Cov_q(θ) + (1−u)·Σ_b n_qb·(Cov_q(θ) − Cov_q(θ + h_b)) ],
//
// n_q the answers that π counts, and n_qb those of batch b that ϱ counts. [growth] bounds Cov_q(θ + h_b) by a multiple of
// Cov_q(θ) in B, so that u can be chosen to make F convex in B ([mixture.convex]). Then, if ∇F = μ·g + e at some θ_2 of the plane
// in B, with μ ≥ 0 and g = −lead, F is at least F(θ_2) − ‖e‖·2R over the half-space in B, R the radius.
func (l *Look) TiltedInfimum(t *Tilts, arm int, lead []float64, epsilon, level float64) float64 {
	if -floats.Dot(lead, l.Theta) >= epsilon {
		return l.least
	}
	at, ok := l.nearest(lead, epsilon)
	if !ok {
		return math.Inf(-1)
	}
	tilt := t.find(arm)
	if at.least >= level || tilt == nil || len(tilt.Starts) == 0 {
		return at.least
	}
	e := t.expand(tilt)
	e.evaluate(at.theta)
	if choice.LogSumExp(append([]float64{at.least}, e.values...)) < level {
		return at.least // the infimum is not larger than that sum
	}
	b, ok := newNeighbourhood(l.evidence, at, level)
	if !ok {
		return at.least
	}
	for range 3 {
		m := newMixture(l.evidence, e, b)
		if !(m.u < 1) {
			break
		}
		found, distance := m.infimum(lead, epsilon)
		if distance <= b.radius {
			return max(at.least, min(level, found))
		}
		b.radius = 1.1 * distance // F is least outside of B, so take a larger one
		e.evaluate(at.theta)
	}
	return at.least
}
