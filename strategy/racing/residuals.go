package racing

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
)

// tuneEvery is after how many more answers, as a share, the scale of the residuals is chosen anew.
const tuneEvery = 0.25

// residualScales are the standard deviations of the residuals that are tried, as a share of the prior
// standard deviation of utilities.
func residualScales() []float64 { return []float64{0.1, 0.3, 1} }

// Where majority evidence decides, every arm has a residual in the model that guides: a constant that
// its features do not explain. Residuals are shrunk towards zero by a prior, whose scale is the one
// under which the answers are most likely. So they are learned where the answers demand it.

// useResiduals makes the parts of the model that depend on the coordinates of the arms. The linear
// evidence and the checks of a race that has fallen back stay as they were.
func (r *Racing) useResiduals() {
	r.contest.views = r.contest.views.withResiduals(residualScales()[r.state.Scale])
	r.linear = choice.NewLinear(r.contest.views.shown, r.tally)
}

// withResiduals returns the views with residuals on a scale. The rows are the same.
func (v *views) withResiduals(scale float64) *views {
	plain := v.judged
	if v.plain != nil {
		plain = v.plain
	}
	white, err := withIntercepts(plain, scale)
	if err != nil {
		panic("strategy: " + err.Error())
	}
	return &views{shown: white, judged: white, alternatives: v.alternatives, slots: 1, segments: 1, plain: plain}
}

// tuneResiduals chooses the scale of the residuals, and fits θ.
func (r *Racing) tuneResiduals() {
	s := &r.state
	best := math.Inf(-1)
	for at, scale := range residualScales() {
		v := r.contest.views.withResiduals(scale)
		linear, b := choice.NewLinear(v.shown, r.tally), evidence.NewBelief(v.judged.Dim())
		b.Fit(linear)
		if log := logMarginal(linear, &b); log > best {
			best, s.Scale = log, at
			r.contest.views, r.linear, s.Belief = v, linear, b
		}
	}
}

// logMarginal returns the log of the marginal likelihood of the answers, up to a constant, by
// Laplace's approximation around the fit.
func logMarginal(linear *choice.Linear, b *evidence.Belief) float64 {
	d := len(b.Fitted)
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(d, append([]float64(nil), b.Inverse...))) {
		return math.Inf(-1)
	}
	prior := evidence.PriorPrecision
	return linear.LogLikelihood(b.Fitted) - prior/2*floats.Dot(b.Fitted, b.Fitted) + (factor.LogDet()+float64(d)*math.Log(prior))/2
}
