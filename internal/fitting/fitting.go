// Package fitting fits a choice model to recorded choices, with standard errors and statistics of the fit,
// derives willingness to pay and predicted shares, and checks whether the choices fit the model.
package fitting

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/internal/recorded"
)

// Data are recorded choices, in either form, ready to be fitted.
type Data struct {
	Hints []string // about the file, each with a remedy

	likelihood   choice.Likelihood
	tasks        int
	alternatives int               // in all tasks; 0 for votes
	items        int               // 0 for long form
	respondents  int               // 0 where the data name none
	weighted     bool              // tasks have weights
	choices      *recorded.Choices // nil for votes
	form         recorded.LongForm // of the choices
	labels       *choice.Free      // the model with constants only, nil if there is none
	nested       bool              // the model has all constants
	scores       func(theta []float64, byRespondent bool) iter.Seq2[[]float64, float64]
	explain      func(error) error // states an estimator's error in terms of the data
	basis        *mat.Dense        // of the parameters, a row for each, by those of the likelihood; nil if they are the same
	names        []string          // of the parameters, if there is a basis
}

// ReadLong reads choices in long or wide form. file is the file name in errors.
func ReadLong(source io.Reader, file string, form recorded.LongForm) (*Data, error) {
	choices, err := recorded.ReadLong(source, file, form)
	if err != nil {
		return nil, err
	}
	return ofChoices(choices, form), nil
}

// ReadAnswers reads answers that a live study exported, and its arms.
func ReadAnswers(answers, arms recorded.Source, form recorded.LongForm) (*Data, error) {
	choices, err := recorded.ReadAnswers(answers, arms, form)
	if err != nil {
		return nil, err
	}
	return ofChoices(choices, form), nil
}

func ofChoices(choices *recorded.Choices, form recorded.LongForm) *Data {
	d := &Data{
		Hints:        choices.Hints,
		likelihood:   choices.Records,
		tasks:        choices.Tasks,
		alternatives: choices.Rows,
		respondents:  choices.RespondentCount,
		weighted:     form.Weight != "",
		choices:      choices,
		form:         form,
		nested:       choices.AllConstants,
		scores: func(theta []float64, byRespondent bool) iter.Seq2[[]float64, float64] {
			clusters := choices.TaskOf
			if byRespondent {
				clusters = choices.Respondents
			}
			return choices.Records.Scores(theta, clusters)
		},
		explain: func(err error) error { return explainChoices(form, err) },
	}
	if choices.Labels != nil {
		d.labels = choice.NewFree(choices.Alternatives, choices.Labels)
	}
	return d
}

// explainChoices adds a remedy to an estimator's error.
func explainChoices(form recorded.LongForm, err error) error {
	if constant, is := errors.AsType[*choice.ConstantError](err); is && slices.Contains(form.Features, constant.Names[0]) {
		return fmt.Errorf("%w, or give it a coefficient for each alternative: --by-alternative %s", err, constant.Names[0])
	}
	return err
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
		Hints:       votes.Hints,
		likelihood:  free,
		tasks:       votes.Len(),
		items:       len(votes.Items),
		respondents: votes.RespondentCount,
		scores:      scoresOf(votes, votes.HalfWins(), free.Scores),
		explain:     func(err error) error { return explainVotes(free, err) },
	}, nil
}

// scoresOf returns the scores of clusters of votes, counted in the given way, each with the number of
// clusters that it stands for.
func scoresOf(
	votes *recorded.Votes, by recorded.Count, scores func([]float64, iter.Seq[*choice.Tally]) iter.Seq[[]float64],
) func([]float64, bool) iter.Seq2[[]float64, float64] {
	return func(theta []float64, byRespondent bool) iter.Seq2[[]float64, float64] {
		clusters := votes.Clusters(byRespondent)
		return func(yield func([]float64, float64) bool) {
			at := 0
			for score := range scores(theta, clusters.Tallies(by)) {
				if !yield(score, clusters.Times[at]) {
					return
				}
				at++
			}
		}
	}
}

// A Result is a fitted model.
type Result struct {
	Tasks             int         `json:"tasks"`
	Alternatives      int         `json:"alternatives,omitempty"`
	Items             int         `json:"items,omitempty"`
	Ties              bool        `json:"ties,omitempty"` // of votes, estimated by Davidson's model
	Respondents       int         `json:"respondents,omitempty"`
	Parameters        []Parameter `json:"parameters"` // of items, best first
	Errors            Errors      `json:"errors"`     // which z, p, intervals and derived numbers use
	Covariances       Covariances `json:"covariance"`
	LogLikelihood     float64     `json:"log_likelihood"`
	NullLogLikelihood float64     `json:"log_likelihood_equal_shares"`
	Statistics        *Statistics `json:"statistics,omitempty"` // nil with a ridge
	Iterations        int         `json:"iterations"`
	GradientNorm      float64     `json:"gradient_norm"`
	Converged         bool        `json:"converged"`

	estimate   *choice.Estimate
	covariance *mat.SymDense // which Errors names
	choices    *recorded.Choices
	form       recorded.LongForm
}

// Options say how to fit.
type Options struct {
	Ridge  float64 // penalty on the squared estimates; defaults to none
	Errors Errors  // defaults to clustered with respondents, robust with weights, plain otherwise
}

// reportTolerance makes every printed digit of an estimate significant.
const reportTolerance = 1e-20

// Fit maximises the likelihood.
func (d *Data) Fit(options Options) (*Result, error) {
	estimator := choice.Estimator{RidgeOnSum: options.Ridge, Tolerance: reportTolerance}
	fitted, err := estimator.Estimate(d.likelihood)
	if err != nil {
		if _, short := errors.AsType[*choice.ConvergenceError](err); short && options.Ridge > 0 {
			err = fmt.Errorf("%w; use a larger --ridge", err)
		}
		return nil, d.explain(err)
	}
	kind := options.Errors
	if kind == "" {
		kind = d.defaultErrors()
	}
	if kind == Clustered && d.respondents == 0 {
		return nil, errors.New("--errors clustered needs --respondent")
	}
	estimate := d.inBasis(fitted)
	r := &Result{
		Tasks: d.tasks, Alternatives: d.alternatives, Items: d.items, Ties: d.basis != nil, Respondents: d.respondents, Errors: kind,
		LogLikelihood: estimate.LogLikelihood, NullLogLikelihood: estimate.NullLogLikelihood,
		Iterations: estimate.Fit.Iterations, GradientNorm: estimate.GradientNorm, Converged: true,
		estimate: estimate, choices: d.choices, form: d.form,
	}
	order := make([]int, len(estimate.Names))
	for k := range order {
		order[k] = k
	}
	if d.items > 0 {
		slices.SortStableFunc(order[:d.items], func(a, b int) int { return cmp.Compare(estimate.Theta[b], estimate.Theta[a]) })
	}
	r.setErrors(d, fitted, order)
	if options.Ridge == 0 {
		r.Statistics = d.statistics(estimate)
	}
	return r, nil
}

// defaultErrors returns which errors the data call for.
func (d *Data) defaultErrors() Errors {
	switch {
	case d.respondents > 0:
		return Clustered
	case d.weighted:
		return Robust
	default:
		return Plain
	}
}

// A Model says whether choices fit the model.
type Model struct {
	checks.Finding

	SameSlot []string `json:"same_slot,omitempty"` // straight-lining respondents
	Clicking []string `json:"clicking,omitempty"`  // respondents whose picks look random
}

// looksRandom is the evidence at which a respondent's picks count as random: 20 to 1.
const looksRandom = 3.0

// Check checks whether choices in long form fit the model, in the order of the file, and looks for unusual
// respondents. It needs the answers of [recorded.LongForm].
func (d *Data) Check() (*Model, error) {
	study, err := checks.NewStudy(d.choices.Answers.Catalogue)
	if err != nil {
		return nil, err
	}
	roster := checks.NewRoster()
	var names []string
	for _, answer := range d.choices.Answers.Answers {
		if err := study.Tell(answer); err != nil {
			return nil, err
		}
		roster.Tell(checks.Response{Answer: answer})
		names = append(names, answer.Respondent)
	}
	report := &Model{Finding: study.Look()}
	for _, out := range roster.Excluded(checks.Rules{}) {
		report.SameSlot = append(report.SameSlot, out.Respondent)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if study.Clicking(name) >= looksRandom {
			report.Clicking = append(report.Clicking, name)
		}
	}
	return report, nil
}
