package evidence

import "math"

// A Duel is evidence from direct comparisons of two arms. If both were shown in equally many slots and one of them is picked, the
// pick depends on their utilities alone, and not on the other arms shown or the rest of θ: the second is picked with probability
// σ(x) = 1/(1 + e^{−x}), where x is its lead over the first. So
//
//	D_t(x) = ∏ prediction(y_s)/p_x(y_s),   over these picks,
//
// is a martingale with mean 1 at the true x, from any start, as in [Anytime]. It learns one number instead of d, which costs
// (1/2)·log t instead of (d/2)·log t, and uses only the answers about these two arms. A Duel is not safe for concurrent use.
type Duel struct {
	Arm       int     `json:"arm"`     // the arm that may be better
	Against   int     `json:"against"` // the other arm
	Weight    float64 `json:"weight"`  // capital invested
	Predicted float64 `json:"predicted"`
	Wins      float64 `json:"wins"`   // picks of Arm
	Losses    float64 `json:"losses"` // picks of Against
}

// Count counts a pick of Arm (win) or of Against. probability is the predicted probability of that
// pick, given that it is one of the two.
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

// Infimum returns the least Log over all leads of epsilon or more. Log is convex, so the minimum is
// at epsilon or at log(wins/losses), whichever is larger.
func (d *Duel) Infimum(epsilon float64) float64 {
	if d.Losses == 0 { // the larger the lead, the better the fit
		return math.Log(d.Weight) + d.Predicted
	}
	return d.Log(max(epsilon, math.Log(d.Wins/d.Losses)))
}

// softplus is log(1 + e^x).
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}
