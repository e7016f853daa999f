package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"bestpick/internal/fitting"
	"bestpick/internal/recorded"
)

// maxRidge is far beyond any use and far from overflow.
const maxRidge = 1e100

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

	Outside bool   `help:"A task without a pick is a choice of none of its alternatives, which has a constant."`
	Worst   string `help:"Column that is 1 on the row of the worst alternative, after the best was picked." placeholder:"COLUMN"`
	Ties    bool   `help:"Estimate how likely ties are: votes that say tie, or tasks with all alternatives chosen."`

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
	if err := c.checkOffer(); err != nil {
		return err
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

// checkOffer rejects flags that exclude further answers than picks.
func (c *fitCommand) checkOffer() error {
	switch {
	case c.pairs() && (c.Outside || c.Worst != ""):
		return errors.New("--outside and --worst do not go with --left, --right and --winner")
	case c.Rank != "" && (c.Worst != "" || c.Ties):
		return errors.New("--worst and --ties do not go with --rank")
	case c.Checks && (c.Outside || c.Ties || c.Worst != ""):
		return errors.New("--checks does not go with --outside, --worst and --ties")
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
	result, err := data.Fit(c.Ridge)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name(), err)
	}
	fitted := time.Now()

	report := fitReport{Result: result, ridge: c.Ridge}
	report.Seconds.Read = read.Sub(start).Seconds()
	report.Seconds.Fit = fitted.Sub(read).Seconds()
	if c.Checks {
		if report.Model, err = data.Check(); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
	}
	if c.JSON {
		return printJSON(s.out, report)
	}
	return report.printTable(s.out)
}

// read reads the file. Its errors are input errors.
func (c *fitCommand) read(s streams) (*fitting.Data, error) {
	source, err := openInput(c.File, c.name(), s, c.Quiet)
	if err != nil {
		return nil, inputError{err}
	}
	defer source.Close()
	var data *fitting.Data
	if c.pairs() {
		data, err = fitting.ReadPairs(source, c.name(), recorded.Pairs{
			Left: c.Left, Right: c.Right, Winner: c.Winner, Respondent: c.Respondent, Ties: c.Ties,
		})
	} else {
		data, err = fitting.ReadLong(source, c.name(), recorded.LongForm{
			Task: c.Task, Alternative: c.Alternative, Chosen: c.Chosen, Rank: c.Rank, Respondent: c.Respondent,
			Features: c.Features, Constants: c.Constants, Base: c.Base, Answers: c.Checks,
			Outside: c.Outside, Worst: c.Worst, Ties: c.Ties,
		})
	}
	if err != nil {
		return nil, inputError{err}
	}
	return data, nil
}
