package checks

import "math"

// clicks bets on random responding: that a share of the respondents click at random, and the others
// pick with more certainty than the plain model predicts, which averages over all of them:
//
//	q = (1 − π)·p̄^s/Σp̄^s + π/K,
//
// for several shares and several s. π is the probability, from earlier answers, that the respondent
// clicks at random; for an unknown respondent it is the share.
type clicks struct {
	bets

	Clicking [][]float64 `json:"clicking"` // for each respondent and every s: log-likelihood ratio of random clicks against picks
}

// clickShares are the shares of random clicks in the bets, and sureness the values of s.
func clickShares() []float64 { return []float64{0.05, 0.15, 0.35} }

func sureness() []float64 { return []float64{1.1, 1.25, 1.5} }

func (c *clicks) observe(p Pick) {
	for len(c.Logs) < len(clickShares())*len(sureness()) {
		c.Logs = append(c.Logs, 0)
	}
	var clicking []float64
	if p.person >= 0 {
		for p.person >= len(c.Clicking) {
			c.Clicking = append(c.Clicking, make([]float64, len(sureness())))
		}
		clicking = c.Clicking[p.person]
	}
	uniform := 1 / float64(len(p.Arms))
	for j, s := range sureness() {
		sum := 0.0
		for _, share := range p.Shares {
			sum += math.Pow(share, s)
		}
		picked := math.Pow(p.Shares[p.Picked], s) / sum
		for i, share := range clickShares() {
			odds := share / (1 - share)
			if clicking != nil {
				odds *= math.Exp(clicking[j])
			}
			pi := 1.0
			if !math.IsInf(odds, 1) {
				pi = odds / (1 + odds)
			}
			c.Logs[i*len(sureness())+j] += math.Log((1-pi)*picked+pi*uniform) - math.Log(p.Shares[p.Picked])
		}
		if clicking != nil {
			clicking[j] += math.Log(uniform) - math.Log(picked)
		}
	}
}
