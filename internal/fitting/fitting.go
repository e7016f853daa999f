// Package fitting fits a choice model to recorded choices, with standard errors, and checks whether the choices fit
// the model.
package fitting

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/recorded"
)

// Data are recorded choices, in either form, ready to be fitted.
type Data struct {
	likelihood   choice.Likelihood
	tasks        int
	alternatives int               // in all tasks; 0 for votes
	items        int               // 0 for long form
	respondents  int               // 0 where the data name none
	answers      *recorded.Answers // for model checks, if requested
	scores       func(theta []float64) iter.Seq[[]float64]
	explain      func(error) error // states an estimator's error in terms of the data
	basis        *mat.Dense        // of the parameters, a row for each, by those of the likelihood; nil if they are the same
	names        []string          // of the parameters, if there is a basis
}

// ReadLong reads choices in long form. file is the file name in errors.
func ReadLong(source io.Reader, file string, columns recorded.LongForm) (*Data, error) {
	choices, err := recorded.ReadLong(source, file, columns)
	if err != nil {
		return nil, err
	}
	return &Data{
		likelihood:   choices.Records,
		tasks:        choices.Tasks,
		alternatives: choices.Alternatives,
		respondents:  choices.RespondentCount,
		answers:      choices.Answers,
		scores: func(theta []float64) iter.Seq[[]float64] {
			return choices.Records.Scores(theta, choices.Clusters)
		},
		explain: func(err error) error { return err },
	}, nil
}

// ReadPairs reads votes between pairs of items. file is the file name in errors.
func ReadPairs(source io.Reader, file string, columns recorded.Pairs) (*Data, error) {
	votes, err := recorded.ReadPairs(source, file, columns)
	if err != nil {
		return nil, err
	}
	free := choice.NewFree(votes.Items, votes.Tally(votes.HalfWins()))
	if columns.Ties {
		return davidson(votes, free)
	}
	return &Data{
		likelihood:  free,
		tasks:       votes.Len(),
		items:       len(votes.Items),
		respondents: votes.RespondentCount,
		scores: func(theta []float64) iter.Seq[[]float64] {
			return free.Scores(theta, votes.ByRespondent(votes.HalfWins()))
		},
		explain: func(err error) error { return explainVotes(free, err) },
	}, nil
}

// A Result is a fitted model.
type Result struct {
	Tasks             int         `json:"tasks"`
	Alternatives      int         `json:"alternatives,omitempty"`
	Items             int         `json:"items,omitempty"`
	Ties              bool        `json:"ties,omitempty"` // of votes, estimated by Davidson's model
	Respondents       int         `json:"respondents,omitempty"`
	Parameters        []Parameter `json:"parameters"` // of items, best first
	LogLikelihood     float64     `json:"log_likelihood"`
	NullLogLikelihood float64     `json:"log_likelihood_equal_shares"`
	Iterations        int         `json:"iterations"`
	GradientNorm      float64     `json:"gradient_norm"`
	Converged         bool        `json:"converged"`
}

// A Parameter is an estimate with its errors. Z and P use the robust error if respondents are known, and the plain one
// otherwise. The robust error is nil if the data give none: with one respondent, or if all answer alike.
type Parameter struct {
	Name     string   `json:"name"`
	Estimate float64  `json:"estimate"`
	SE       float64  `json:"se"`
	RobustSE *float64 `json:"robust_se"`
	Z        float64  `json:"z"`
	P        float64  `json:"p"`
}

// reportTolerance makes every printed digit of an estimate significant.
const reportTolerance = 1e-20

// Fit maximises the likelihood with a penalty on the squared estimates, 0 for none.
func (d *Data) Fit(ridge float64) (*Result, error) {
	estimator := choice.Estimator{RidgeOnSum: ridge, Tolerance: reportTolerance}
	estimate, err := estimator.Estimate(d.likelihood)
	if err != nil {
		if _, short := errors.AsType[*choice.ConvergenceError](err); short && ridge > 0 {
			err = fmt.Errorf("%w; use a larger --ridge", err)
		}
		return nil, d.explain(err)
	}
	robust := estimate.RobustCovariance(d.scores(estimate.Theta))
	if d.basis != nil {
		estimate, robust = d.inBasis(estimate, robust)
	}
	r := &Result{
		Tasks: d.tasks, Alternatives: d.alternatives, Items: d.items, Respondents: d.respondents,
		Parameters:    d.parameters(estimate, robust),
		LogLikelihood: estimate.LogLikelihood, NullLogLikelihood: estimate.NullLogLikelihood,
		Iterations: estimate.Fit.Iterations, GradientNorm: estimate.GradientNorm, Converged: true,
	}
	if d.items > 0 {
		r.Ties = len(r.Parameters) > d.items
		slices.SortStableFunc(r.Parameters[:d.items], func(a, b Parameter) int { return cmp.Compare(b.Estimate, a.Estimate) })
	}
	return r, nil
}

// parameters returns the estimates with their errors. robust may be nil.
func (d *Data) parameters(estimate *choice.Estimate, robust *mat.SymDense) []Parameter {
	const zeroSandwich = 1e-7 // the share of a plain error below which a robust error is a rounding error
	plain, sandwich := choice.StandardErrors(estimate.Covariance), make([]float64, len(estimate.Names))
	if robust != nil {
		sandwich = choice.StandardErrors(robust)
	}
	parameters := make([]Parameter, len(estimate.Names))
	for k, name := range estimate.Names {
		p := Parameter{Name: name, Estimate: estimate.Theta[k], SE: plain[k]}
		p.Z = p.Estimate / p.SE
		if sandwich[k] > zeroSandwich*p.SE {
			p.RobustSE = &sandwich[k]
			if d.respondents > 0 {
				p.Z = p.Estimate / *p.RobustSE
			}
		}
		p.P = math.Erfc(math.Abs(p.Z) / math.Sqrt2)
		parameters[k] = p
	}
	return parameters
}
