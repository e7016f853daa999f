package racing

import "math"

// goal returns the smallest ε that the race can expect to certify when its budget B is spent, and at
// least the ε of the settings. By then the squared widths of the leads are t/B of what they are after
// t answers, and learning costs (d/2)·log(B/t), so that arm j is still refuted at a lead of
//
//	ε_j = √(2·(log(1/δ) + (d/2)·log(B/t))·w_j·t/B) − Δ̂_j.
//
// The goal is the largest ε_j. While it is above the ε of the settings, questions and investments aim
// at it: at the arms that decide which ε is certified, rather than at the closest rivals, which the
// budget does not suffice to eliminate.
func (c *contest) goal(l *leads, answered int) float64 {
	budget := c.settings.Budget
	if budget == 0 || c.settings.Top != 0 {
		return c.epsilon
	}
	ratio := max(float64(budget)/float64(max(answered, 1)), 1)
	need := 2 * (c.threshold() + float64(c.dim())/2*math.Log(ratio)) / ratio
	goal := c.epsilon
	for place, width := range l.widths {
		if width > 0 {
			goal = max(goal, math.Sqrt(need*width)-l.lead(place))
		}
	}
	return goal
}
