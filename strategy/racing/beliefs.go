package racing

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/evidence"
)

// trusts are the shares of its choices with which a prior counts in the beliefs of a race: in full, in part, and not at all.
func trusts() []float64 { return []float64{1, 1.0 / 8, 0} }

// A hypothesis is a belief that rests on a share of the prior's choices.
type hypothesis struct {
	Belief evidence.Belief `json:"belief"`
	Log    float64         `json:"log"` // of its weight: the probability that it gave to the answers so far
}

// hypotheses are the beliefs of a race with a prior. Their predictions are averaged by their weights,
// as in Bayes' rule, so that the average is hardly worse than the best of them: a prior that does not
// suit the answers soon has no weight. The belief with the largest weight chooses the questions.
type hypotheses []hypothesis

func newHypotheses(p evidence.Prior) hypotheses {
	var list hypotheses
	for _, trust := range trusts() {
		list = append(list, hypothesis{Belief: p.Discounted(trust).Belief()})
	}
	return list
}

// provenBy is the lead in log-weight over the belief without the prior from which on a prior is trusted with capital, and
// trustedShare the share of the capital that is invested then: predictions are good at once, so there is no reason to wait.
const (
	provenBy     = 2.0
	trustedShare = 0.6
)

// best returns the number of the belief with the largest weight, the first of several.
func (h hypotheses) best() int {
	at := 0
	for i := range h {
		if h[i].Log > h[at].Log {
			at = i
		}
	}
	return at
}

// settled reports whether to invest capital: once the answers have shown that the prior helps, or that it
// does not. Until then a prior of other people would waste capital. Without a prior it is true.
func (h hypotheses) settled() bool {
	return len(h) == 0 || h.best() == len(h)-1 || h.proven()
}

// proven reports whether the answers have shown that the prior helps.
func (h hypotheses) proven() bool {
	return len(h) > 0 && h[h.best()].Log-h[len(h)-1].Log >= provenBy
}

// fit fits all beliefs to the answers.
func (h hypotheses) fit(linear *choice.Linear, p evidence.Prior) {
	for i, trust := range trusts() {
		h[i].Belief.FitInformed(linear, p.Discounted(trust))
	}
}

// predict returns the average of the predictions, and those of each belief.
func (h hypotheses) predict(rows *choice.Catalogue, shown []int) (average []float64, each [][]float64) {
	logs := make([]float64, len(h))
	for i := range h {
		logs[i] = h[i].Log
	}
	weights := choice.Probabilities(nil, logs)
	average = make([]float64, len(shown))
	for i := range h {
		each = append(each, h[i].Belief.Predict(rows, shown))
		floats.AddScaled(average, weights[i], each[i])
	}
	return average, each
}

// learn weighs the beliefs by their predictions of a pick, and moves them towards it.
func (h hypotheses) learn(rows *choice.Catalogue, shown []int, each [][]float64, picked int) {
	for i := range h {
		h[i].Log += math.Log(each[i][picked])
		h[i].Belief.Learn(rows, shown, each[i], shown[picked])
	}
}

// startBeliefs returns the beliefs before the first answer, in the present coordinates. What the answers
// say about the prior is kept.
func (c *problem) startBeliefs(linear *choice.Linear, earlier hypotheses) (b evidence.Belief, informed hypotheses) {
	if c.prior == nil {
		return evidence.NewBelief(c.dim()), nil
	}
	informed = newHypotheses(*c.prior)
	for i := range earlier {
		informed[i].Log = earlier[i].Log
	}
	return informed[0].Belief.Observed(linear), informed
}

// fitBeliefs fits the beliefs to the answers. Where there are several, the θ̂ of the best of them, with
// the information of the answers alone, chooses questions.
func (c *problem) fitBeliefs(linear *choice.Linear, b *evidence.Belief, informed hypotheses) {
	if c.prior == nil {
		b.Fit(linear)
		return
	}
	informed.fit(linear, *c.prior)
	*b = informed[informed.best()].Belief.Observed(linear)
}

// predict returns the probabilities of a choice, and with a prior those by each belief.
func (c *problem) predict(b *evidence.Belief, informed hypotheses, stage choice.Stage) (shares []float64, each [][]float64) {
	if c.prior == nil {
		return b.Predict(c.rows.screen, stage.Rows), nil
	}
	return informed.predict(c.rows.screen, stage.Rows)
}
