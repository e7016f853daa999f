package checks

import (
	"math"

	"bestpick/choice"
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
