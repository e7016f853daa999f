package evidence

import "math"

// A PaperBound is the confidence bound of the paper (Theorem 1, Corollary 1): with probability at
// least 1 − δ, for all t ≥ t' and all differences g of two arms,
//
//	|g'(θ̂ − θ*)| ≤ Width(t)·‖g‖_{V⁻¹},   Width(t) = (8/κ)·√(d + log(3N²t²/δ)),
//
// if the questions do not depend on the answers, the arms lie in the unit ball, κ is as small as
// Assumption 1 requires, and λ_min(V) is as large as the corollary requires. [CheckAssumptions]
// reports whether these hold. At the settings of the paper's experiments they do not, so a strategy
// that stops by this bound is not certified.
type PaperBound struct {
	Dim   int     // d
	Arms  int     // N
	Delta float64 // δ
	Kappa float64 // κ
}

// Width returns the factor of ‖g‖_{V⁻¹} after t questions.
func (b PaperBound) Width(t int) float64 {
	return 8 / b.Kappa * math.Sqrt(float64(b.Dim)+b.logTerm(t))
}

// logTerm returns log(3N²t²/δ).
func (b PaperBound) logTerm(t int) float64 {
	n := float64(b.Arms) * float64(t)
	return math.Log(3 * n * n / b.Delta)
}

// Decides reports whether an estimated lead of one arm over another, with squared norm ‖a_i −
// a_j‖²_{V⁻¹}, is significant at the given Width: the stopping condition (equation 5)
//
//	Width(t)·‖a_i − a_j‖_{V⁻¹} ≤ (a_i − a_j)'θ̂.
func (b PaperBound) Decides(lead, squaredNorm, width float64) bool {
	return lead >= 0 && width*width*squaredNorm <= lead*lead
}
