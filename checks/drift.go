package checks

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
)

// drift bets that θ changes over time: it predicts from the latest answers only, about a quarter of
// all.
type drift struct {
	bets

	Belief      evidence.Belief `json:"belief"`
	Information []float64       `json:"information"` // of the latest answers, without the prior's
	Picks       float64         `json:"picks"`
	Renewed     float64         `json:"renewed"` // picks when the belief's inverse was last set
}

const (
	remembered  = 0.25 // of the picks
	shortMemory = 50   // picks, at least
)

func newDrift(d int) drift {
	return drift{Belief: evidence.NewBelief(d), Information: make([]float64, d*d)}
}

func (c *drift) observe(p Pick, arms *choice.Catalogue) {
	for len(c.Logs) < 1 {
		c.Logs = append(c.Logs, 0)
	}
	shares := c.Belief.Predict(arms, p.Shown)
	c.Logs[0] += math.Log(shares[p.Picked]) - math.Log(p.Shares[p.Picked])
	c.Belief.Learn(arms, p.Shown, shares, p.Shown[p.Picked])
	c.Picks++
	memory := max(remembered*c.Picks, shortMemory)
	floats.Scale(1-1/memory, c.Information)
	d := arms.Dim()
	mean, centred := make([]float64, d), make([]float64, d)
	for i, arm := range p.Shown {
		floats.AddScaled(mean, shares[i], arms.Arm(arm))
	}
	for i, arm := range p.Shown {
		floats.SubTo(centred, arms.Arm(arm), mean)
		for k := range d {
			floats.AddScaled(c.Information[k*d:(k+1)*d], shares[i]*centred[k], centred)
		}
	}
	if c.Picks >= c.Renewed*1.02+1 {
		c.renew(d)
	}
}

// renew sets the belief's covariance.
func (c *drift) renew(d int) {
	c.Renewed = c.Picks
	h := mat.NewSymDense(d, nil)
	for k := range d {
		for l := k; l < d; l++ {
			h.SetSym(k, l, c.Information[k*d+l])
		}
	}
	c.Belief.SetInformation(h)
}
