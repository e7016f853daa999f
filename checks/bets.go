package checks

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
)

// bets are the alternatives of one check, each of which began with the same share of its capital:
// log ∏ q/p̄ of each, now and at the beginning of each start that is kept. Alternatives without
// data are not listed; their capital is unchanged.
type bets struct {
	Logs  []float64   `json:"logs"`
	Marks [][]float64 `json:"marks"` // capital at each start, for the alternatives listed then
}

// value returns the log of the mean capital since a start, over all alternatives.
func (b *bets) value(start int, alternatives float64) float64 {
	parts := make([]float64, len(b.Logs), len(b.Logs)+1)
	for i, log := range b.Logs {
		parts[i] = log
		if i < len(b.Marks[start]) {
			parts[i] -= b.Marks[start][i]
		}
	}
	if rest := alternatives - float64(len(parts)); rest > 0 {
		parts = append(parts, math.Log(rest))
	}
	return choice.LogSumExp(parts) - math.Log(alternatives)
}

// best returns the alternative with the most capital since a start, −1 if none is listed.
func (b *bets) best(start int) int {
	best, top := -1, math.Inf(-1)
	for i, log := range b.Logs {
		if i < len(b.Marks[start]) {
			log -= b.Marks[start][i]
		}
		if log > top {
			best, top = i, log
		}
	}
	return best
}

// mark records the capital of the bets at the beginning of a start. It replaces an existing start
// or appends a new one.
func (b *bets) mark(start int) {
	now := append([]float64(nil), b.Logs...)
	if start < len(b.Marks) {
		b.Marks[start] = now
	} else {
		b.Marks = append(b.Marks, now)
	}
}

// A tilt is a bet that some picks are more or less likely than predicted, by a constant β
// times f in the utilities: q ∝ p̄·e^{βf}. It learns β by Newton steps from zero.
type tilt struct {
	Beta      float64 `json:"beta"`
	Precision float64 `json:"precision"`
}

// priorTilt is the prior precision of a constant: a standard deviation of ½. maxTilt bounds the
// constant.
const (
	priorTilt = 4
	maxTilt   = 3
)

// bet returns log q/p̄ of a pick that was predicted with the given probabilities, and learns.
func (t *tilt) bet(shares, f []float64, picked int) float64 {
	tilts := make([]float64, len(f))
	for i, x := range f {
		tilts[i] = t.Beta * x
	}
	log := tilted(tilts, shares, picked)
	var mean, squares float64 // tilts are now the probabilities q
	for i, q := range tilts {
		mean += q * f[i]
		squares += q * f[i] * f[i]
	}
	t.move(f[picked]-mean, max(squares-mean*mean, 0))
	return log
}

// tilted turns changes of utility into probabilities q ∝ p̄·e^change, and returns log q/p̄ of the
// pick.
func tilted(changes, shares []float64, picked int) float64 {
	logs := make([]float64, len(changes))
	for i, change := range changes {
		logs[i] = math.Log(shares[i]) + change
	}
	log := changes[picked] - choice.LogSumExp(logs)
	choice.Probabilities(changes, logs)
	return log
}

// move is a Newton step with the information of one more pick.
func (t *tilt) move(gradient, information float64) {
	t.Precision += information
	t.Beta = max(-maxTilt, min(maxTilt, t.Beta+gradient/t.Precision))
}

// position bets on position effects: every slot of the screen has a constant in the utilities,
// learned by Newton steps slot by slot.
type position struct {
	bets

	Slots []tilt `json:"slots"`
}

func (c *position) observe(p Pick) {
	for len(c.Logs) < 1 {
		c.Logs = append(c.Logs, 0)
	}
	q := make([]float64, len(p.Slots))
	for i, slot := range p.Slots {
		for slot >= len(c.Slots) {
			c.Slots = append(c.Slots, tilt{Precision: priorTilt})
		}
		q[i] = c.Slots[slot].Beta
	}
	c.Logs[0] += tilted(q, p.Shares, p.Picked)
	for i, slot := range p.Slots {
		gradient := -q[i]
		if i == p.Picked {
			gradient++
		}
		c.Slots[slot].move(gradient, q[i]*(1-q[i]))
	}
}

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
