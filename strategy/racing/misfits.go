package racing

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"bestpick/choice"
	"bestpick/strategy"
)

// falseMisfit is the probability that any arm is called a misfit where the model holds, at one check.
const falseMisfit = 0.01

// misfits returns the arms that were picked significantly more or less often than the plain model
// expects at θ. If the model holds, the number of picks of an arm is a sum of independent trials with
// known probabilities; the fit makes it vary less. The limits are those of a normal distribution, with
// a part of the error probability for each arm.
func (c *problem) misfits(tally *choice.Tally, theta []float64) []strategy.Misfit {
	if !c.settings.Model.IsPlain() || c.size.isMany(c.catalogue) {
		return nil
	}
	n := c.catalogue.Len()
	expected, variance, picked := make([]float64, n), make([]float64, n), make([]float64, n)
	var utilities, shares []float64
	for arms, wins := range tally.Questions() {
		utilities = c.rows.screen.Utilities(utilities, arms, theta)
		shares = choice.Probabilities(shares, utilities)
		asked := 0.0
		for _, w := range wins {
			asked += w
		}
		for i, row := range arms {
			arm, ok := c.rows.alternatives.Arm(row)
			if !ok {
				continue
			}
			picked[arm] += wins[i]
			expected[arm] += asked * shares[i]
			variance[arm] += asked * shares[i] * (1 - shares[i])
		}
	}
	var found []strategy.Misfit
	limit := distuv.UnitNormal.Quantile(1 - falseMisfit/(2*float64(n)))
	for arm := range n {
		if math.Abs(picked[arm]-expected[arm]) > limit*math.Sqrt(variance[arm])+0.5 {
			found = append(found, strategy.Misfit{Arm: arm, Picked: picked[arm], Expected: expected[arm]})
		}
	}
	return found
}
