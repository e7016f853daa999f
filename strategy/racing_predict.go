package strategy

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// learn predicts the picks of an answer one by one, each from the arms that are left, and
// moves θ towards them by a Newton step with the information of the last look.
func (r *Racing) learn(answer choice.Answer) {
	left := slices.Clone(answer.Question)
	d := r.white.Dim()
	gradient := make([]float64, d)
	for _, slot := range answer.Picks {
		if len(left) == 1 {
			break // no choice is left
		}
		pick := answer.Question[slot]
		shares := r.predict(left)
		likelihood := 0.0
		for i, arm := range left {
			if arm == pick {
				likelihood += shares[i]
			}
			floats.AddScaled(gradient, -shares[i], r.white.Arm(arm))
		}
		floats.AddScaled(gradient, 1, r.white.Arm(pick))
		r.evidence.Predict(math.Log(likelihood))
		r.countDuels(left, shares, pick)
		at := slices.Index(left, pick)
		left = slices.Delete(left, at, at+1)
	}
	step := make([]float64, d)
	multiply(step, r.state.Inverse, gradient)
	floats.Add(r.state.Theta, step)
}

// predict returns the probabilities of the picks from a question, averaged over what θ may
// be: over the points u ± √K·c of its arms' utilities, c going through the columns of a
// square root of their covariance X·H⁻¹·X'. Any probabilities would do; these are less
// often surprised than those at one θ.
func (r *Racing) predict(q choice.Question) []float64 {
	k, d := len(q), r.white.Dim()
	utilities := r.white.Utilities(nil, q, r.state.Theta)
	root := make([]float64, k*k)
	solved := make([]float64, d)
	for i, arm := range q {
		multiply(solved, r.state.Inverse, r.white.Arm(arm))
		for j := range i + 1 {
			root[i*k+j] = r.white.Utility(q[j], solved)
		}
	}
	squareRoot(root, k)
	average, shares, moved := make([]float64, k), make([]float64, k), make([]float64, k)
	scale := math.Sqrt(float64(k))
	for column := range k {
		for _, sign := range []float64{scale, -scale} {
			for i := range moved {
				moved[i] = utilities[i] + sign*root[i*k+column]
			}
			floats.AddScaled(average, 1/float64(2*k), choice.Probabilities(shares, moved))
		}
	}
	// Never so sure that one answer could cost everything.
	const least = 1e-9
	for i := range average {
		average[i] = (1-least)*average[i] + least/float64(k)
	}
	return average
}

// squareRoot turns the lower triangle of a positive semi-definite matrix into its Cholesky
// factor; rows without anything of their own get none.
func squareRoot(m []float64, n int) {
	for i := range n {
		for j := range i + 1 {
			sum := m[i*n+j]
			for l := range j {
				sum -= m[i*n+l] * m[j*n+l]
			}
			switch {
			case i == j:
				m[i*n+i] = math.Sqrt(max(sum, 0))
			case m[j*n+j] > 1e-12:
				m[i*n+j] = sum / m[j*n+j]
			default:
				m[i*n+j] = 0
			}
		}
		for j := i + 1; j < n; j++ {
			m[i*n+j] = 0
		}
	}
}
