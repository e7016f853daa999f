package checks

import (
	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// people bets on heterogeneity: that θ of each respondent is normal around the common one, with a
// standard deviation σ in every coordinate, so that earlier picks of a respondent predict later
// ones. From the sum g of the respondent's earlier residuals x_pick − Σ p̄·x and their information
// n about a coordinate, the expected deviation of θ is b = σ²·g/(1 + σ²·n).
type people struct {
	bets

	Residuals [][]float64 `json:"residuals"` // of each respondent
	Known     []float64   `json:"known"`     // n
}

// differences are the values of σ in the bets.
func differences() []float64 { return []float64{0.1, 0.2, 0.4, 1} }

func (c *people) observe(p Pick, arms *choice.Catalogue) {
	for len(c.Logs) < len(differences()) {
		c.Logs = append(c.Logs, 0)
	}
	if p.person < 0 {
		return
	}
	d, at := arms.Dim(), p.person
	for at >= len(c.Residuals) {
		c.Residuals, c.Known = append(c.Residuals, make([]float64, d)), append(c.Known, 0)
	}
	if c.Known[at] > 0 {
		for i, sigma := range differences() {
			shrink := sigma * sigma / (1 + sigma*sigma*c.Known[at])
			changes := make([]float64, len(p.Shown))
			for j, arm := range p.Shown {
				changes[j] = shrink * arms.Utility(arm, c.Residuals[at])
			}
			c.Logs[i] += tilted(changes, p.Shares, p.Picked)
		}
	}
	mean := make([]float64, d)
	for j, arm := range p.Shown {
		floats.AddScaled(mean, p.Shares[j], arms.Arm(arm))
	}
	floats.Add(c.Residuals[at], arms.Arm(p.Shown[p.Picked]))
	floats.Sub(c.Residuals[at], mean)
	for j, arm := range p.Shown {
		distance := floats.Distance(arms.Arm(arm), mean, 2)
		c.Known[at] += p.Shares[j] * distance * distance / float64(d)
	}
}
