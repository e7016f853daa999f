package racing

import (
	"math"

	"bestpick/evidence"
)

// The evidence that certifies costs more than log(1/δ): the capital starts in parts, and learning d
// parameters costs answers. These are what [Prospects] expects, in nats.
const (
	startCost   = 3.0
	featureCost = 0.3
)

// aim returns the ε that is likely to be certified when the budget is spent, at least that of the settings:
// if T/t times the present answers are given, the lead of an arm is known up to t/T of its variance, so that
//
//	Z_T = (Δ̂+ε)²/(2‖·‖²)·T/t
//
// reaches the evidence that certifies at ε = √(2‖·‖²·need·t/T) − Δ̂, for the arm with the largest. Questions
// about that arm reduce ε most, and capital is invested in time for T.
func (r *Racing) aim(l *leads) float64 {
	c := &r.contest
	more := max(float64(c.settings.Budget)/max(float64(r.counted()), 1), 1)
	need := c.threshold() + startCost + featureCost*float64(c.dim())
	aim := c.epsilon
	for place, width := range l.widths {
		if width > 0 {
			aim = max(aim, math.Sqrt(2*width*need/more)-l.lead(place))
		}
	}
	return min(aim, evidence.MaxSpread)
}
