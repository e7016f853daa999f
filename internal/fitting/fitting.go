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
	alternatives int      // in all tasks; 0 for votes
	items        []string // nil for long form
	model        string   // of items
	base         string   // the item with utility zero, which has no parameter; "" if utilities sum to zero
	ties         bool     // ties of items have a parameter
	answers      func() (*recorded.Answers, error)
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
		answers:      func() (*recorded.Answers, error) { return choices.Answers, nil },
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

// ReadItems reads answers about items without features. file is the file name in errors.
func ReadItems(source io.Reader, file string, form recorded.ItemForm) (*Data, error) {
	rankings, err := recorded.ReadItems(source, file, form)
	if err != nil {
		return nil, err
	}
	free := choice.NewFree(rankings.Items, rankings.Tally(rankings.Plain()))
	d := &Data{
		Hints:       rankings.Hints,
		likelihood:  free,
		tasks:       rankings.Len(),
		items:       rankings.Items,
		model:       plackettLuce,
		respondents: rankings.RespondentCount,
		answers:     rankings.Answers,
		scores:      scoresOf(rankings, rankings.Plain(), free.Scores),
		explain:     func(err error) error { return explainVotes(free, err) },
	}
	if rankings.Pairs {
		d.model = bradleyTerry
	}
	if form.Ties || form.Side || rankings.BestWorst {
		if err := d.addTerms(rankings, form, free); err != nil {
			return nil, err
		}
	}
	if form.Base != "" {
		d.setBase(form.Base)
	}
	return d, nil
}

// ReadItemsWith reads answers about items, and a file with their features.
func ReadItemsWith(answers, arms recorded.Source, items recorded.ItemForm, form recorded.LongForm) (*Data, error) {
	choices, err := recorded.ReadItemsWith(answers, arms, items, form)
	if err != nil {
		return nil, err
	}
	return ofChoices(choices, form), nil
}

// scoresOf returns the scores of clusters of answers, counted in the given way, each with the number of
// clusters that it stands for.
func scoresOf(
	rankings *recorded.Rankings, by recorded.Count, scores func([]float64, iter.Seq[*choice.Tally]) iter.Seq[[]float64],
) func([]float64, bool) iter.Seq2[[]float64, float64] {
	return func(theta []float64, byRespondent bool) iter.Seq2[[]float64, float64] {
		return func(yield func([]float64, float64) bool) {
			times := 1.0
			tallies := func(yield func(*choice.Tally) bool) {
				for tally, equal := range rankings.Clusters(by, byRespondent) {
					if times = equal; !yield(tally) {
						return
					}
				}
			}
			for score := range scores(theta, tallies) {
				if !yield(score, times) {
					return
				}
			}
		}
	}
}

// The models of items, with the numbers of answers and items.
const (
	bradleyTerry = "Bradley–Terry: %d votes between %d items"
	plackettLuce = "Plackett–Luce: %d rankings of %d items"
	davidson     = "Davidson: %d votes between %d items"
	bestWorst    = "Best–worst: %d answers about %d items"
)

// A Result is a fitted model.
type Result struct {
	Tasks             int         `json:"tasks"`
	Alternatives      int         `json:"alternatives,omitempty"`
	Items             int         `json:"items,omitempty"`
	Ties              bool        `json:"ties,omitempty"` // of items, estimated by Davidson's model
	Base              string      `json:"base,omitempty"` // the item with utility zero; if empty, utilities sum to zero
	Title             string      `json:"-"`              // of a model of items
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
		Tasks: d.tasks, Alternatives: d.alternatives, Items: len(d.items), Ties: d.ties, Respondents: d.respondents, Errors: kind,
		Base:          d.base,
		LogLikelihood: estimate.LogLikelihood, NullLogLikelihood: estimate.NullLogLikelihood,
		Iterations: estimate.Fit.Iterations, GradientNorm: estimate.GradientNorm, Converged: true,
		estimate: estimate, choices: d.choices, form: d.form,
	}
	if len(d.items) > 0 {
		zero := "utilities sum to zero"
		if d.base != "" {
			zero = "the utility of " + d.base + " is zero"
		}
		r.Title = fmt.Sprintf(d.model+" (%s)", d.tasks, len(d.items), zero)
	}
	order := choice.UpTo(len(estimate.Names))
	if utilities := d.utilities(); utilities > 0 {
		slices.SortStableFunc(order[:utilities], func(a, b int) int { return cmp.Compare(estimate.Theta[b], estimate.Theta[a]) })
	}
	r.setErrors(d, fitted, order)
	if options.Ridge == 0 {
		r.Statistics = d.statistics(estimate)
	}
	return r, nil
}

// utilities returns how many parameters are utilities of items; they are the first.
func (d *Data) utilities() int {
	if d.base != "" {
		return len(d.items) - 1
	}
	return len(d.items)
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

// Check checks whether choices fit the model, in the order of the file, and looks for unusual respondents. It
// needs the answers of [recorded.LongForm].
func (d *Data) Check() (*Model, error) {
	answers, err := d.answers()
	if err != nil {
		return nil, err
	}
	study, err := checks.NewStudy(answers.Catalogue)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, answer := range answers.Answers {
		if err := study.Tell(answer); err != nil {
			return nil, err
		}
		names = append(names, answer.Respondent)
	}
	report := &Model{Finding: study.Look()}
	if report.Remedy != "" {
		report.Remedy = "in a study: " + report.Remedy
	}
	if report.Remedy != "" && report.Check == checks.People && d.choices != nil {
		report.Remedy = "add --classes auto to estimate a model for each class of people; " + report.Remedy
	}
	report.SameSlot = checks.Straight(answers.Answers)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if study.Clicking(name) >= looksRandom {
			report.Clicking = append(report.Clicking, name)
		}
	}
	return report, nil
}
