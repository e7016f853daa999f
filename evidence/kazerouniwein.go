package evidence

import "math"

// A KazerouniWeinBound is the confidence bound of Kazerouni and Wein, "Best Arm Identification in
// Generalized Linear Bandits" (2019), for answers that are 0 or 1. It is the ellipsoid of Filippi et
// al. (2010) at all times at once: with probability at least 1 − δ, for all arms x and t after the
// initial questions,
//
//	|x'(θ̂ − θ*)| ≤ Width(t)·‖x‖_{V⁻¹},
//	Width(t) = (2/c_μ)·√(3 + 2·log(1 + 2L²/λ₀))·√(2d·log t·log(π²dt²/(6δ))).
//
// It permits questions that depend on the answers, but needs a c_μ no larger than the least slope
// of the link function, and 1/4 is the largest slope of the logistic one. A strategy that stops by
// this bound with a larger c_μ is not certified.
type KazerouniWeinBound struct {
	Dim   int     // d
	Delta float64 // δ
	Slope float64 // c_μ
	Ratio float64 // L²/λ₀: the largest squared norm of an arm over the least eigenvalue of V at the start
}

// Width returns the factor of ‖x‖_{V⁻¹} after t questions. For t = 1, where the formula has none, it
// is the width at t = 2.
func (b KazerouniWeinBound) Width(t int) float64 {
	d, at := float64(b.Dim), float64(max(t, 2))
	start := math.Sqrt(3 + 2*math.Log1p(2*b.Ratio))
	return 2 / b.Slope * start * math.Sqrt(2*d*math.Log(at)*math.Log(math.Pi*math.Pi*d*at*at/(6*b.Delta)))
}
