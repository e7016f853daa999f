package majority

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
)

// After how many more answers, as a share, the model is fitted again, and the scale of its residuals chosen anew.
const (
	fitEvery  = 1.0 / 16
	tuneEvery = 1
)

// residualScales are the standard deviations of the residuals that are tried, as a share of the prior standard deviation of
// utilities.
func residualScales() []float64 { return []float64{0.1, 0.3, 1} }

// A model guides the choice of questions: a linear model in which every arm has a residual, a constant that its features do not
// explain. Residuals are shrunk towards zero by a prior, whose scale is the one under which the answers are most likely. So
// they are learned where the answers demand it.
type model struct {
	guess

	white  *choice.Catalogue // the features, whitened
	rows   *choice.Catalogue // with residuals on the present scale
	tally  *choice.Tally
	linear *choice.Linear // of the tally, in the coordinates of rows
}

// A guess is the state of a model besides the answers.
type guess struct {
	Belief   evidence.Belief `json:"belief"`
	Scale    int             `json:"scale,omitempty"` // of the residuals
	NextTune int             `json:"next_tune,omitempty"`
	NextFit  int             `json:"next_fit,omitempty"`
}

// newModel returns the model of the answers in a tally.
func newModel(c *choice.Catalogue, tally *choice.Tally, g guess) (model, error) {
	white, err := choice.Whiten(c)
	if err != nil {
		return model{}, err
	}
	m := model{white: white, tally: tally, guess: g}
	m.use(g.Scale)
	return m, nil
}

// use changes the scale of the residuals.
func (m *model) use(scale int) {
	rows := withResiduals(m.white, residualScales()[scale])
	m.Scale, m.rows, m.linear = scale, rows, choice.NewLinear(rows, m.tally)
}

// withResiduals adds a coordinate for every arm to whitened arms, and makes the features smaller by what these coordinates can
// explain of them: up to a constant, the prior covariance of the utilities is that of the features and of residuals orthogonal
// to them. The coordinates are mostly zeros, which makes a fit cheap. Features that tell all arms apart are left out, because
// residuals on scale one have the same covariance.
func withResiduals(white *choice.Catalogue, scale float64) *choice.Catalogue {
	n, features := white.Len(), white.Features()
	if len(features) >= n-1 {
		features, scale = nil, 1
	}
	ids, names, rows := make([]string, n), slices.Clone(features), make([][]float64, n)
	for arm := range n {
		ids[arm], names = white.ID(arm), append(names, fmt.Sprint("residual ", arm+1))
		rows[arm] = make([]float64, len(features)+n)
		for k := range features {
			rows[arm][k] = math.Sqrt(1-scale*scale) * white.Arm(arm)[k]
		}
		rows[arm][len(features)+arm] = scale * math.Sqrt(float64(n))
	}
	made, err := choice.NewCatalogue(ids, names, rows)
	if err != nil {
		panic("majority: " + err.Error())
	}
	return made
}

// forget sets the belief to the one before the first answer.
func (m *model) forget() { m.Belief = evidence.NewBelief(m.rows.Dim()) }

// fit fits θ to the answers, of which a number count. From time to time it chooses the scale of the residuals with the largest
// marginal likelihood.
func (m *model) fit(counted int) {
	if counted < m.NextFit {
		return
	}
	m.NextFit = counted + int(fitEvery*float64(counted))
	if counted < m.NextTune {
		m.Belief.Fit(m.linear)
		return
	}
	m.NextTune = counted + int(tuneEvery*float64(counted))
	most, best := math.Inf(-1), *m
	for scale := range residualScales() {
		tried := *m
		tried.use(scale)
		tried.forget()
		tried.Belief.Fit(tried.linear)
		if log := logMarginal(tried.linear, &tried.Belief); log > most {
			most, best = log, tried
		}
	}
	*m = best
}

// logMarginal returns the log of the marginal likelihood of the answers, up to a constant, by Laplace's approximation around
// the fit.
func logMarginal(linear *choice.Linear, b *evidence.Belief) float64 {
	d := len(b.Fitted)
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(d, append([]float64(nil), b.Inverse...))) {
		return math.Inf(-1)
	}
	prior := evidence.PriorPrecision
	return linear.LogLikelihood(b.Fitted) - prior/2*floats.Dot(b.Fitted, b.Fitted) + (factor.LogDet()+float64(d)*math.Log(prior))/2
}

// learn counts an answer in a tally and moves a belief towards it. An answer without a pick tells nothing.
func learn(rows *choice.Catalogue, b *evidence.Belief, t *choice.Tally, a choice.Answer) error {
	if len(a.Picks) == 0 {
		return nil
	}
	for slots, picked := range a.Steps() {
		left := make([]int, len(slots))
		for i, slot := range slots {
			left[i] = a.Question[slot]
		}
		b.Learn(rows, left, b.Predict(rows, left), left[picked])
	}
	return t.Add(a)
}
