package evidence

import "math"

// A Duel is evidence from direct comparisons. When a pick is one of two arms that were shown in
// equally many slots, which of the two it is depends on their utilities alone, and not on the other
// arms shown or the rest of θ: the second is picked with probability σ(x) = 1/(1 + e^{−x}), x being
// its lead over the first. So
//
//	D_t(x) = ∏ prediction(y_s)/p_x(y_s),   over these picks,
//
// is a martingale with mean 1 at the true x, from any start, as in [Anytime]. It learns one
// number instead of d, which costs (1/2)·log t instead of (d/2)·log t, and uses only the
// answers about these two arms.
type Duel struct {
	Arm       int     `json:"arm"`     // the arm that may be better
	Against   int     `json:"against"` // the other arm
	Weight    float64 `json:"weight"`  // capital put in
	Predicted float64 `json:"predicted"`
	Wins      float64 `json:"wins"`   // picks of Arm
	Losses    float64 `json:"losses"` // picks of Against
}

// Count counts a pick of Arm, or of Against, that was predicted with the given probability among the
// two.
func (d *Duel) Count(win bool, probability float64) {
	d.Predicted += math.Log(probability)
	if win {
		d.Wins++
	} else {
		d.Losses++
	}
}

// Log returns the log of the capital for a lead of x.
func (d *Duel) Log(x float64) float64 {
	return math.Log(d.Weight) + d.Predicted + d.Wins*softplus(-x) + d.Losses*softplus(x)
}

// Infimum returns the least Log over all leads of epsilon or more: at epsilon, or at
// log(wins/losses) where that is larger, Log being convex.
func (d *Duel) Infimum(epsilon float64) float64 {
	if d.Losses == 0 { // the larger the lead the better it fits
		return math.Log(d.Weight) + d.Predicted
	}
	return d.Log(max(epsilon, math.Log(d.Wins/d.Losses)))
}

// softplus is log(1 + e^x).
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}
