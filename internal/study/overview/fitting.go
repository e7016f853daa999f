package overview

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/strategy/racing"
)

const (
	refitShare = 32  // a new estimate needs 1/32 more answers than the last one
	maxSteps   = 3e9 // operations of a Newton step: a few seconds
)

// A fitting estimates the part-worths of attribute levels from the counted answers, from time to
// time.
type fitting struct {
	answers int
	waiting []choice.Answer // not in the tally yet
	tally   *choice.Tally
	theta   []float64
	worths  []encode.PartWorth
	fitted  int // answers in the last estimate
}

// add adds an answer.
func (f *fitting) add(a choice.Answer) {
	f.answers++
	f.waiting = append(f.waiting, choice.Answer{Question: slices.Clone(a.Question), Picks: slices.Clone(a.Picks)})
}

// estimate computes a new estimate, if there are enough new answers and it does not take too long.
// Models with slots, intercepts or segments have no estimate.
func (f *fitting) estimate(arms *archive.Catalogue, settings racing.Settings) {
	d, model := arms.Arms.Dim(), settings.Model
	if model.Slots || model.Intercepts || len(model.Segments) > 0 {
		f.waiting = nil
		return
	}
	if f.answers == 0 || f.answers-f.fitted <= f.fitted/refitShare {
		return
	}
	alternatives := choice.NewAlternatives(arms.Arms, settings.Offer)
	rows := alternatives.Rows()
	if f.tally == nil {
		f.tally = choice.NewTally(rows.Len())
	}
	f.tally.Grow(max(rows.Len(), f.tally.Arms()))
	for _, a := range f.waiting {
		_ = alternatives.Count(f.tally, a) // cannot fail: a plan has counted the answer
	}
	f.waiting = nil
	if float64(f.tally.Distinct())*float64(settings.K)*float64(d)*float64(d) > maxSteps {
		return
	}
	const ridge = 1e-6 // on the mean, so that a maximum always exists
	estimator := choice.Estimator{RidgeOnMean: ridge}
	estimate, err := estimator.Estimate(choice.NewLinear(rows, f.tally))
	if err != nil || slices.ContainsFunc(estimate.Theta, math.IsNaN) {
		return
	}
	f.theta, f.fitted = estimate.Theta[:d], f.answers
	covariance, _ := estimate.Covariance.SliceSym(0, d).(*mat.SymDense) // without the constants of the offer
	f.worths = arms.PartWorths(f.theta, covariance)
}
