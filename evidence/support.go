package evidence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	maxTilts   = 12  // values of μ that Support tries
	nearEnough = 1.5 // nats between G and the threshold: another μ would improve the bound by less than 1%
	tooFar     = 4   // nats of G above the threshold, from where Newton's method may fail
)

// Support returns an upper bound on g'θ over all θ that are not refuted, log M(θ) < threshold. It is
// sharper than [Look.Radius] times the width. It returns +∞ if it finds no bound, or a θ that is not refuted
// with g'θ > [MaxSpread]. A guess of the θ where the bound is attained, from [Reach.Guess], makes the search fast.
//
// For any μ > 0 let θ_1 minimise G(θ) − μ·g'θ, up to a remaining gradient e. As in [Look.Infimum],
// G(θ) ≥ G(θ_1) − ‖e‖² + μ·g'(θ − θ_1), so that every θ with G(θ) < threshold has
//
//	g'θ ≤ g'θ_1 + (threshold − G(θ_1) + ‖e‖²)/μ.
//
// The bound is attained for the μ with G(θ_1) = threshold. G grows about as μ², which gives the next μ.
func (l *Look) Support(g []float64, threshold float64, guess Guess) float64 {
	a, least := l.evidence, math.Inf(1)
	if floats.Norm(g, 2) == 0 {
		return 0
	}
	start := append([]float64(nil), guess.Theta...)
	for a.value(start) > threshold+tooFar {
		floats.Add(start, l.Theta)
		floats.Scale(0.5, start)
	}
	theta, mu, limit := slices.Clone(start), guess.Multiplier, math.Inf(1)
	room := max(threshold-l.value, 1)
	for range maxTilts {
		found, ok := a.tilt(theta, g, mu)
		if !ok && floats.Dot(g, theta) > MaxSpread && a.value(theta) < threshold {
			return math.Inf(1)
		}
		if !ok { // G is not bounded by μ·g'θ: far away its slope is at most the number of answers
			copy(theta, start)
			mu, limit = mu/2, mu
			continue
		}
		least = min(least, floats.Dot(g, theta)+(threshold-found)/mu)
		if math.Abs(threshold-found) < nearEnough {
			return least
		}
		mu = min(mu*min(max(math.Sqrt(room/max(found-l.value, room/16)), 0.25), 4), (mu+limit)/2)
	}
	return least
}

// A Guess of the θ with the largest g'θ that is not refuted, and the multiplier μ there.
type Guess struct {
	Theta      []float64
	Multiplier float64
}

// A Reach is the distance from an estimate, z = s²/2 in the information of all answers, at which
// [Look.Guess] gives the threshold, and the slope of the evidence in z there.
type Reach struct{ z, slope float64 }

// Reach returns the distance at which θ are refuted, if every answer adds the same.
func (l *Look) Reach(threshold float64) Reach {
	low, high := 0.0, 1.0
	for l.Guess(high) < threshold && high < 1e9 {
		low, high = high, 2*high
	}
	for range 40 {
		if middle := (low + high) / 2; l.Guess(middle) < threshold {
			low = middle
		} else {
			high = middle
		}
	}
	step := 0.01 * high
	return Reach{high, max(l.Guess(high+step)-l.Guess(high), 1e-6*step) / step}
}

// Guess returns the farthest θ from an estimate in the direction g, given H⁻¹g and the information H of all answers.
func (r Reach) Guess(estimate, g, solved []float64) Guess {
	width := math.Sqrt(max(floats.Dot(g, solved), 1e-300))
	s := math.Sqrt(2 * r.z)
	return Guess{floats.AddScaledTo(make([]float64, len(g)), estimate, s/width, solved), r.slope * s / width}
}

// tilt moves theta to the minimum of G(θ) − μ·g'θ by Newton's method, and returns a lower bound L such
// that G(θ) ≥ L + μ·g'(θ − θ_1) for all θ, where θ_1 is the new theta.
func (a *Anytime) tilt(theta, g []float64, mu float64) (lower float64, ok bool) {
	d := len(theta)
	gradient, curvature, hessian := make([]float64, d), mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	trial := make([]float64, d)
	value := a.value(theta)
	var factor mat.Cholesky
	var step mat.VecDense
	for range maxSteps {
		a.differentiate(theta, gradient, curvature, hessian)
		if !factor.Factorize(hessian) || floats.Dot(g, theta) > MaxSpread { // beyond there is nothing to bound
			return 0, false
		}
		tilted := floats.AddScaledTo(make([]float64, d), gradient, -mu, g)
		_ = factor.SolveVecTo(&step, mat.NewVecDense(d, tilted)) // the ridge keeps it regular
		squared := floats.Dot(tilted, step.RawVector().Data)
		if squared < 1e-3 {
			found, ok := a.settled(theta, gradient, g, curvature, value, mu, floats.Dot(g, theta))
			switch {
			case ok:
				return found.least, true
			case squared < 1e-12:
				return 0, false
			}
		}
		moved := false
		for length := 1.0; length > 1e-8 && !moved; length /= 2 {
			floats.AddScaledTo(trial, theta, -length, step.RawVector().Data)
			next := a.value(trial)
			if moved = next-mu*floats.Dot(g, trial) <= value-mu*floats.Dot(g, theta)-0.1*length*squared; moved {
				copy(theta, trial)
				value = next
			}
		}
		if !moved {
			return 0, false
		}
	}
	return 0, false
}
