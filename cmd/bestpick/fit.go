package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/internal/recorded"
)

const (
	// reportTolerance makes every printed digit of an estimate significant.
	reportTolerance = 1e-20

	// maxRidge is far beyond any use and far from overflow.
	maxRidge = 1e100
)

// fitCommand estimates a choice model from recorded choices.
type fitCommand struct {
	File string `arg:"" help:"CSV file, plain or gzip; - reads standard input."`

	Task        string            `default:"task" help:"Column that tells which rows are one task (${default})."`
	Alternative string            `default:"alternative" help:"Column that names the alternative, for --constants (${default})."`
	Chosen      string            `default:"chosen" help:"Column that is 1 on the row picked (${default})."`
	Rank        string            `help:"Column of ranks instead of --chosen: 1 is best, empty is unranked."`
	Features    []string          `help:"Columns of the model: numbers, or text that becomes indicators."`
	Constants   []string          `help:"Alternatives with an alternative-specific constant."`
	Base        map[string]string `help:"Base level of a text column, as column=level (default: first seen)." mapsep:","`
	Respondent  string            `help:"Column of respondents: cluster the robust errors by it."`

	Left   string `help:"Votes between pairs: column of the left item."`
	Right  string `help:"Votes between pairs: column of the right item."`
	Winner string `help:"Votes between pairs: column that says left, right or tie."`

	Checks bool `help:"Also check whether the choices fit the model, in the order of the file."`

	Ridge float64 `default:"0" help:"Penalty on the squared estimates, taken off the log-likelihood (${default})."`
	JSON  bool    `name:"json" help:"Print one JSON document."`
	Quiet bool    `help:"Show no progress."`
}

// Help is the long help of the command.
func (c *fitCommand) Help() string {
	return `Long form, a row for each alternative of a task:

    bestpick fit choices.csv --features time,cost --constants train,car

Votes between two items, one utility an item:

    bestpick fit votes.csv --left left --right right --winner winner`
}

// pairs reports whether the file holds votes between pairs.
func (c *fitCommand) pairs() bool { return c.Left != "" || c.Right != "" || c.Winner != "" }

// name returns the name of the file in errors.
func (c *fitCommand) name() string {
	if c.File == "-" {
		return standardInput
	}
	return c.File
}

// check rejects flags that exclude each other.
func (c *fitCommand) check() error {
	switch {
	case c.pairs() && (c.Left == "" || c.Right == "" || c.Winner == ""):
		return errors.New("--left, --right and --winner go together")
	case c.pairs() && (c.Rank != "" || len(c.Features)+len(c.Constants)+len(c.Base) > 0):
		return errors.New("--rank, --features, --constants and --base do not go with --left, --right and --winner")
	case !c.pairs() && len(c.Features)+len(c.Constants) == 0:
		return errors.New("fit needs --features or --constants, or --left, --right and --winner for votes")
	case !(c.Ridge >= 0 && c.Ridge <= maxRidge):
		return fmt.Errorf("--ridge must be from 0 to %g, got %v", maxRidge, c.Ridge)
	case c.pairs() && c.Checks:
		return errors.New("--checks does not go with --left, --right and --winner")
	case !c.pairs() && c.Task == "":
		return errors.New("--task must name a column")
	case !c.pairs() && c.Chosen == "" && c.Rank == "":
		return errors.New("--chosen must name a column")
	}
	for flag, names := range map[string][]string{"--features": c.Features, "--constants": c.Constants} {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("%s: %q is named twice", flag, name)
			}
		}
	}
	for column := range c.Base {
		if !slices.Contains(c.Features, column) {
			return fmt.Errorf("--base: %q is not among the --features", column)
		}
	}
	return nil
}

// Run reads, fits and prints.
func (c *fitCommand) Run(s streams) error {
	if err := c.check(); err != nil {
		return inputError{err}
	}
	start := time.Now()
	data, err := c.read(s)
	if err != nil {
		return err
	}
	read := time.Now()
	estimator := choice.Estimator{RidgeOnSum: c.Ridge, Tolerance: reportTolerance}
	estimate, err := estimator.Estimate(data.likelihood)
	if err != nil {
		if _, short := errors.AsType[*choice.ConvergenceError](err); short && c.Ridge > 0 {
			err = fmt.Errorf("%w; use a larger --ridge", err)
		}
		return fmt.Errorf("%s: %w", c.name(), data.word(err))
	}
	robust := estimate.RobustCovariance(data.scores(estimate.Theta))
	fitted := time.Now()

	report := newFitReport(data, estimate, robust, c.Ridge)
	report.Seconds.Read = read.Sub(start).Seconds()
	report.Seconds.Fit = fitted.Sub(read).Seconds()
	if data.answers != nil {
		if report.Model, err = checkAnswers(data.answers); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
	}
	if c.JSON {
		return printJSON(s.out, report)
	}
	return report.printTable(s.out)
}

// checkAnswers checks whether recorded choices fit the model, and looks for unusual respondents.
func checkAnswers(recorded *recorded.Answers) (*modelReport, error) {
	study, err := checks.NewStudy(recorded.Catalogue)
	if err != nil {
		return nil, err
	}
	roster := checks.NewRoster()
	var names []string
	for _, answer := range recorded.Answers {
		if err := study.Tell(answer); err != nil {
			return nil, err
		}
		roster.Tell(checks.Response{Answer: answer})
		names = append(names, answer.Respondent)
	}
	report := &modelReport{Finding: study.Look()}
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

// fitData is the content of a file, in either form.
type fitData struct {
	likelihood   choice.Likelihood
	tasks        int
	alternatives int               // in all tasks; 0 for votes
	items        int               // 0 for long form
	respondents  int               // 0 where the data name none
	answers      *recorded.Answers // nil where they are not to be checked

	scores func(theta []float64) iter.Seq[[]float64]
	word   func(error) error // rewrites an estimator's error with the names of the data
}

// read reads the file. Its errors are input errors.
func (c *fitCommand) read(s streams) (*fitData, error) {
	source, err := openInput(c.File, c.name(), s, c.Quiet)
	if err != nil {
		return nil, inputError{err}
	}
	defer source.Close()
	var data *fitData
	if c.pairs() {
		data, err = c.readPairs(source)
	} else {
		data, err = c.readLong(source)
	}
	if err != nil {
		return nil, inputError{err}
	}
	return data, nil
}

func (c *fitCommand) readLong(source io.Reader) (*fitData, error) {
	choices, err := recorded.ReadLong(source, c.name(), recorded.LongForm{
		Task: c.Task, Alternative: c.Alternative, Chosen: c.Chosen, Rank: c.Rank, Respondent: c.Respondent,
		Features: c.Features, Constants: c.Constants, Base: c.Base, Answers: c.Checks,
	})
	if err != nil {
		return nil, err
	}
	return &fitData{
		likelihood:   choices.Records,
		tasks:        choices.Records.Tasks(),
		alternatives: choices.Records.Alternatives(),
		respondents:  choices.RespondentCount,
		answers:      choices.Answers,
		scores: func(theta []float64) iter.Seq[[]float64] {
			return choices.Records.Scores(theta, choices.Respondents)
		},
		word: func(err error) error { return err },
	}, nil
}

func (c *fitCommand) readPairs(source io.Reader) (*fitData, error) {
	votes, err := recorded.ReadPairs(source, c.name(), recorded.Pairs{
		Left: c.Left, Right: c.Right, Winner: c.Winner, Respondent: c.Respondent,
	})
	if err != nil {
		return nil, err
	}
	free := choice.NewFree(votes.Items, votes.Tally())
	return &fitData{
		likelihood:  free,
		tasks:       votes.Len(),
		items:       len(votes.Items),
		respondents: votes.RespondentCount,
		scores: func(theta []float64) iter.Seq[[]float64] {
			return free.Scores(theta, votes.ByRespondent())
		},
		word: func(err error) error { return wordForItems(free, err) },
	}, nil
}

// wordForItems rewrites an estimator's error in terms of items and votes.
func wordForItems(free *choice.Free, err error) error {
	if groups := free.Groups(); len(groups) > 1 {
		first := free.Names()[groups[1][0]]
		return fmt.Errorf("the items fall into %d groups with no vote between them (%q is not in the largest), so their utilities cannot be compared", len(groups), first)
	}
	var separated *choice.SeparationError
	switch {
	case !errors.As(err, &separated):
		return err
	case separated.Together:
		leader := free.Names()[floats.MaxIdx(separated.Direction)]
		return fmt.Errorf("a group of items with %q in it won every vote against the others, so the best utilities are infinite; leave items out, or use --ridge", leader)
	default:
		item := separated.Names[0]
		did := "lost"
		if least, _ := free.Margins(indicator(free.Names(), item)); least >= 0 {
			did = "won"
		}
		return fmt.Errorf("%q %s every vote it was in, so its best utility is infinite; leave it out, or use --ridge", item, did)
	}
}

// indicator returns the direction along which only the utility of one item moves.
func indicator(items []string, item string) []float64 {
	v := make([]float64, len(items))
	v[slices.Index(items, item)] = 1
	return v
}
