package checks

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"bestpick/choice"
)

// A Jury compares each of some judges with the consensus of all others. It tallies answers, so its
// memory grows with the number of distinct questions only. It is not safe for concurrent use.
//
// The consensus has one utility for each arm (Bradley–Terry for pairs, Plackett–Luce for more), or
// the features of a catalogue with many arms. It is fitted without the judge, with a weak prior.
type Jury struct {
	alternatives *choice.Alternatives
	rows         *choice.Catalogue
	free         bool
	judges       []judge
	index        map[string]int
	all          *choice.Tally
	answers      int
}

// A judge has the answers of one judge.
type judge struct {
	name    string
	answers int
	tally   *choice.Tally
}

// Limits of a Jury.
const (
	MaxJudges     = 100 // judges to compare with the others
	MinJudged     = 20  // answers of a judge, and of all others, below which nothing is said
	maxFree       = 100 // arms with a utility of their own
	maxParameters = 200

	// juryRidge is the precision of the prior: a standard deviation of 2 for each utility.
	juryRidge = 1.0 / 8
)

// NewJury returns a Jury of the named judges, at most MaxJudges. The answers of others count for the
// consensus only.
func NewJury(arms *choice.Catalogue, offer choice.Offer, names []string) (*Jury, error) {
	if len(names) > MaxJudges {
		return nil, fmt.Errorf("checks: a jury can have %d judges, got %d", MaxJudges, len(names))
	}
	j := &Jury{index: map[string]int{}, free: arms.Len() <= maxFree && arms.Product() == nil}
	if j.free {
		var err error
		if arms, err = indicators(arms); err != nil {
			return nil, err
		}
	}
	if arms.Dim() > maxParameters {
		return nil, fmt.Errorf("checks: judges can be compared with %d features, got %d", maxParameters, arms.Dim())
	}
	j.alternatives = choice.NewAlternatives(arms, offer)
	j.rows = j.alternatives.Rows()
	j.all = choice.NewTally(j.rows.Len())
	for _, name := range names {
		j.index[name] = len(j.judges)
		j.judges = append(j.judges, judge{name: name, tally: choice.NewTally(j.rows.Len())})
	}
	return j, nil
}

// indicators returns the arms with an indicator for each instead of their features.
func indicators(arms *choice.Catalogue) (*choice.Catalogue, error) {
	ids, rows := make([]string, arms.Len()), make([][]float64, arms.Len())
	for i := range ids {
		ids[i], rows[i] = arms.ID(i), make([]float64, arms.Len())
		rows[i][i] = 1
	}
	return choice.NewCatalogue(ids, ids, rows)
}

// Tell counts an answer.
func (j *Jury) Tell(a choice.Answer) error {
	if err := j.alternatives.Count(j.all, a); err != nil {
		return err
	}
	j.answers++
	at, known := j.index[a.Respondent]
	if !known {
		return nil
	}
	j.judges[at].answers++
	return j.alternatives.Count(j.judges[at].tally, a)
}

// A Judgement compares a judge with the consensus of all others.
type Judgement struct {
	Name    string
	Answers int

	// Agreement is the share of the judge's choices that the consensus finds most likely. Expected is
	// its mean if the judge follows the consensus, and Chance its mean for random picks.
	Agreement, Expected, Chance float64

	// Scale measures how closely the judge follows the consensus: 1 like the others, 0 not at all,
	// negative against it. Error is its standard error.
	Scale, Error float64

	// P is the p-value of the hypothesis that the judge follows the consensus. It allows for errors of
	// the consensus.
	P float64

	// Random reports that the judge seems to answer at random: P is below the error probability
	// divided by the number of judges, and random picks explain the answers better than the consensus.
	Random bool
}

// A JuryReport compares judges.
type JuryReport struct {
	Answers             int
	Agreement, Expected float64 // of all judgements, weighted by their answers
	Judges              []Judgement

	// Utilities are the Bradley–Terry estimates of the arms from all answers, with sum zero, and Errors
	// their standard errors. Nil for many arms, where the consensus depends on features.
	Utilities, Errors []float64
}

// Report compares each judge that has at least MinJudged answers with the others. If all judges
// follow the consensus, one or more are called random with probability about alpha. Report calls
// pause often, and stops at an error.
func (j *Jury) Report(alpha float64, pause func() error) (*JuryReport, error) {
	report := &JuryReport{Answers: j.answers}
	if j.answers == 0 {
		return report, nil
	}
	if err := j.estimate(report); err != nil {
		return nil, err
	}
	total := choice.NewLinear(j.rows, j.all)
	judged := 0.0
	for _, one := range j.judges {
		if err := pause(); err != nil {
			return nil, err
		}
		if one.answers < MinJudged || j.answers-one.answers < MinJudged {
			continue
		}
		judgement, err := j.compare(one, total)
		if err != nil {
			return nil, err
		}
		report.Judges = append(report.Judges, judgement)
		weight := float64(one.answers)
		judged += weight
		report.Agreement += weight * judgement.Agreement
		report.Expected += weight * judgement.Expected
	}
	if judged > 0 {
		report.Agreement /= judged
		report.Expected /= judged
	}
	for i := range report.Judges {
		r := &report.Judges[i]
		r.Random = r.Random && r.P < alpha/float64(len(report.Judges))
	}
	return report, nil
}

// estimate adds the utilities of the arms.
func (j *Jury) estimate(report *JuryReport) error {
	if !j.free {
		return nil
	}
	estimator := choice.Estimator{RidgeOnSum: juryRidge}
	e, err := estimator.Estimate(choice.NewLinear(j.rows, j.all))
	if err != nil {
		return err
	}
	n := j.rows.Dim() - j.rows.Constants()
	mean, of := 0.0, make([]float64, n) // the mean of the utilities, and its covariances with each
	for i := range n {
		mean += e.Theta[i] / float64(n)
		for k := range n {
			of[i] += e.Covariance.At(i, k) / float64(n)
		}
	}
	variance := 0.0 // of the mean
	for i := range n {
		variance += of[i] / float64(n)
	}
	for i := range n {
		report.Utilities = append(report.Utilities, e.Theta[i]-mean)
		report.Errors = append(report.Errors, math.Sqrt(max(0, e.Covariance.At(i, i)-2*of[i]+variance)))
	}
	return nil
}

// compare compares a judge with the consensus of all others.
//
// With θ the consensus, C its covariance, and g and H the gradient and the information of the judge's
// log-likelihood at θ, the score θ'g is the derivative by a factor of all utilities. Under the true
// utilities its mean would be zero and its variance θ'Hθ. An error e of θ with covariance C changes the
// mean to −(θ+e)'He to first order, which adds −tr(HC) to the mean and θ'HCHθ to the variance.
func (j *Jury) compare(one judge, total *choice.Linear) (Judgement, error) {
	own := choice.NewLinear(j.rows, one.tally)
	estimator := choice.Estimator{RidgeOnSum: juryRidge}
	e, err := estimator.Estimate(without{total, own})
	if err != nil {
		return Judgement{}, err
	}
	d := len(e.Theta)
	gradient, information := make([]float64, d), mat.NewSymDense(d, nil)
	fitted := own.Evaluate(e.Theta, gradient, information)
	var spread, of mat.VecDense // Hθ and CHθ
	theta := mat.NewVecDense(d, e.Theta)
	spread.MulVec(information, theta)
	of.MulVec(e.Covariance, &spread)
	scale, trace := mat.Dot(theta, &spread), 0.0
	for i := range d {
		for k := range d {
			trace += information.At(i, k) * e.Covariance.At(k, i)
		}
	}
	score := mat.Dot(theta, mat.NewVecDense(d, gradient)) + trace
	deviation := math.Sqrt(scale + mat.Dot(&spread, &of))
	judgement := Judgement{Name: one.name, Answers: one.answers, Scale: 1, Error: math.Inf(1), P: 1}
	if scale > 0 {
		judgement.Scale, judgement.Error = scaleOf(own, e.Theta)
		judgement.P = distuv.UnitNormal.CDF(score / deviation)
	}
	judgement.Random = own.NullLogLikelihood() > fitted
	j.agree(&judgement, one.tally, e.Theta)
	return judgement, nil
}

// scaleOf returns the factor of the utilities that explains a judge's answers best, at most maxScale in
// size, and its standard error at the given utilities.
func scaleOf(own *choice.Linear, theta []float64) (factor, deviation float64) {
	const maxScale, steps = 10.0, 30
	d := len(theta)
	gradient, information := make([]float64, d), mat.NewSymDense(d, nil)
	direction, scaled := mat.NewVecDense(d, theta), make([]float64, d)
	for range steps {
		for i := range scaled {
			scaled[i] = factor * theta[i]
		}
		own.Derivatives(scaled, gradient, information)
		curvature := mat.Inner(direction, information, direction)
		if curvature <= 0 {
			return factor, math.Inf(1)
		}
		step := mat.Dot(direction, mat.NewVecDense(d, gradient)) / curvature
		factor, deviation = factor+max(-0.5, min(0.5, step)), 1/math.Sqrt(curvature)
		if math.Abs(factor) > maxScale {
			return math.Copysign(maxScale, factor), math.Inf(1)
		}
		if math.Abs(step) < 1e-6 {
			break
		}
	}
	return factor, deviation
}

// agree adds how often the most likely choice by the consensus was made.
func (j *Jury) agree(to *Judgement, tally *choice.Tally, theta []float64) {
	total := 0.0
	var p []float64
	for question, wins := range tally.Questions() {
		p = choice.Probabilities(p, j.rows.Utilities(p, question, theta))
		likely := slices.Index(p, slices.Max(p))
		asked := 0.0
		for _, n := range wins {
			asked += n
		}
		total += asked
		to.Agreement += wins[likely]
		to.Expected += asked * p[likely]
		to.Chance += asked / float64(len(p))
	}
	if total > 0 {
		to.Agreement, to.Expected, to.Chance = to.Agreement/total, to.Expected/total, to.Chance/total
	}
}

// without is the likelihood of all answers but those of one judge.
type without struct{ all, one *choice.Linear }

func (w without) Names() []string { return w.all.Names() }

func (w without) Picks() float64 { return w.all.Picks() - w.one.Picks() }

func (w without) LogLikelihood(theta []float64) float64 {
	return w.all.LogLikelihood(theta) - w.one.LogLikelihood(theta)
}

func (w without) NullLogLikelihood() float64 {
	return w.all.NullLogLikelihood() - w.one.NullLogLikelihood()
}

func (w without) Derivatives(theta, gradient []float64, information *mat.SymDense) {
	w.Evaluate(theta, gradient, information)
}

func (w without) Evaluate(theta, gradient []float64, information *mat.SymDense) float64 {
	n := len(theta)
	less, minus := make([]float64, n), mat.NewSymDense(n, nil)
	value := w.all.Evaluate(theta, gradient, information) - w.one.Evaluate(theta, less, minus)
	for i := range n {
		gradient[i] -= less[i]
		for k := i; k < n; k++ {
			information.SetSym(i, k, information.At(i, k)-minus.At(i, k))
		}
	}
	return value
}

func (w without) Spread(v []float64) float64 { return w.all.Spread(v) }

func (w without) Margins(v []float64) (least, greatest float64) { return w.all.Margins(v) }
