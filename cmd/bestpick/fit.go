package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/fitting"
	"bestpick/internal/recorded"
)

// fitCommand estimates a choice model from recorded choices.
type fitCommand struct {
	command.JSONFlag `embed:"" group:"Results"`

	File string `arg:"" help:"CSV, JSON Lines, Parquet or .xlsx file, plain or gzip; - reads standard input."`

	Task          string            `group:"Columns" default:"task" help:"Column that tells which rows are one task."`
	Alternative   string            `group:"Columns" default:"alternative" help:"Column that names the alternative."`
	Chosen        string            `group:"Columns" default:"chosen" help:"Column that is 1 on the row picked, or in wide form names the alternative picked."`
	Rank          string            `group:"Columns" help:"Column of ranks instead of --chosen: 1 is best, empty is unranked." placeholder:"COLUMN"`
	Features      []string          `group:"Model" help:"Columns of the model: numbers, or text that becomes indicators. In wide form without the alternative: price for price_A, price_B."`
	ByAlternative []string          `group:"Model" help:"Columns with a coefficient for each alternative, such as the income of the respondent."`
	Constants     []string          `group:"Model" help:"Alternatives with an alternative-specific constant; all gives one to each but the base."`
	Base          map[string]string `group:"Model" placeholder:"COLUMN=LEVEL" help:"Base level of a text column or of the alternatives (default: first seen)." mapsep:","`
	Numbers       []string          `group:"Columns" help:"Features whose values are numbers with units, such as $5."`
	Alternatives  []string          `group:"Columns" help:"Alternatives of a file in wide form (default: as the columns name them)."`
	Available     string            `group:"Columns" help:"Column that is 1 where the alternative was on offer; other rows are left out." placeholder:"COLUMN"`
	Weights       string            `group:"Columns" help:"Column of weights of the tasks." placeholder:"COLUMN"`
	Where         []string          `group:"Columns" help:"Use only rows that satisfy a condition, such as purpose=1|3 or age>=18."`
	Respondent    string            `group:"Columns" help:"Column of respondents: cluster the errors by it." placeholder:"COLUMN"`
	Arms          string            `group:"Columns" help:"File of the arms, if FILE has answers that a live study exported." placeholder:"FILE"`

	Left   string `group:"Votes between pairs" help:"Column of the left item." placeholder:"COLUMN"`
	Right  string `group:"Votes between pairs" help:"Column of the right item." placeholder:"COLUMN"`
	Winner string `group:"Votes between pairs" help:"Column that says left, right or tie, or names the winner." placeholder:"COLUMN"`
	Loser  string `group:"Votes between pairs" help:"Column of the item that lost, instead of --left and --right." placeholder:"COLUMN"`
	Count  string `group:"Votes between pairs" help:"Column with the number of equal votes." placeholder:"COLUMN"`

	Outside bool   `group:"Model" help:"A task without a pick is a choice of none of its alternatives, which has a constant."`
	Worst   string `group:"Model" help:"Column that is 1 on the row of the worst alternative, after the best was picked." placeholder:"COLUMN"`
	Ties    bool   `group:"Model" help:"Estimate how likely ties are: votes that say tie, or tasks with all alternatives chosen."`

	Errors  string  `group:"Results" help:"Errors for tests and intervals: plain, robust or clustered (default: clustered with --respondent, robust with --weights, else plain)." enum:",plain,robust,clustered" default:""`
	WTP     string  `group:"Results" name:"wtp" help:"Also report the willingness to pay, in units of this price parameter." placeholder:"PARAMETER"`
	Shares  string  `group:"Results" help:"Also predict the shares of the alternatives in this file." placeholder:"FILE"`
	Holdout float64 `group:"Results" default:"0" min:"0" below:"1" help:"Share of the respondents to hold out and predict, such as 0.2."`
	Seed    uint64  `group:"Results" default:"1" help:"Seed for --holdout."`
	Checks  bool    `group:"Results" help:"Also check whether the choices fit the model, in the order of the file."`

	Ridge float64 `group:"Model" default:"0" min:"0" max:"1e100" help:"Penalty on the squared estimates, taken off the log-likelihood."`
	Save  string  `group:"Results" help:"Also write the JSON document to this file, for simulate --utilities." placeholder:"FILE"`
	Quiet bool    `group:"Results" help:"Show no progress."`
}

// Help is the long help of the command.
func (c *fitCommand) Help() string {
	return `Long form, a row for each alternative of a task:

    bestpick fit choices.csv --features time,cost --constants train,car

Wide form, a row for each task, with columns such as time_train and time_car:

    bestpick fit choices.csv --features time,cost --constants all --chosen mode

Votes between two items, one utility an item:

    bestpick fit votes.csv --left left --right right --winner winner

Answers that a live study exported:

    bestpick fit answers.csv --arms arms.csv --features price,colour`
}

// name returns the name of the file in errors.
func (c *fitCommand) name() string {
	if c.File == "-" {
		return command.StandardInput
	}
	return c.File
}

// Run reads, fits and prints.
func (c *fitCommand) Run(s command.Streams) error {
	if err := c.check(); err != nil {
		return command.Invalid(err)
	}
	start := time.Now()
	data, err := c.read(s)
	if err != nil {
		return err
	}
	read := time.Now()
	report, err := c.fit(data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name(), err)
	}
	report.Seconds.Read = read.Sub(start).Seconds()
	report.Seconds.Fit = time.Since(read).Seconds()
	if err := c.derive(report); err != nil {
		return command.Invalid(err)
	}
	if c.Checks {
		if report.Model, err = data.Check(); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
	}
	if c.Save != "" {
		if err := command.WriteFile(c.Save, func(w io.Writer) error { return command.PrintJSON(w, report) }); err != nil {
			return err
		}
	}
	return c.Write(s.Out, report, report.text())
}

// fit fits the model, and predicts the tasks held out.
func (c *fitCommand) fit(data *fitting.Data) (*fitReport, error) {
	report := &fitReport{Hints: data.Hints, ridge: c.Ridge}
	var held *fitting.HeldOut
	if c.Holdout > 0 {
		var err error
		if data, held, err = data.Split(c.Holdout, c.Seed); err != nil {
			return nil, err
		}
	}
	var err error
	if report.Result, err = data.Fit(fitting.Options{Ridge: c.Ridge, Errors: fitting.Errors(c.Errors)}); err != nil {
		return nil, err
	}
	if held != nil {
		report.Holdout = held.Predict(report.Result)
	}
	return report, nil
}

// derive adds the willingness to pay and the predicted shares.
func (c *fitCommand) derive(report *fitReport) (err error) {
	if c.WTP != "" {
		if report.WTP, err = report.WillingnessToPay(c.WTP); err != nil {
			return err
		}
	}
	if c.Shares == "" {
		return nil
	}
	file, err := os.Open(c.Shares)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Shares, command.Cause(err))
	}
	defer func() { _ = file.Close() }() // only read
	report.Shares, err = report.Result.Shares(file, c.Shares)
	return err
}

// read reads the file. Its errors are input errors.
func (c *fitCommand) read(s command.Streams) (*fitting.Data, error) {
	source, err := command.OpenInput(c.File, c.name(), s, c.Quiet)
	if err != nil {
		return nil, command.Invalid(err)
	}
	defer source.Close()
	where, err := c.conditions()
	if err != nil {
		return nil, command.Invalid(err)
	}
	var data *fitting.Data
	switch {
	case c.Arms != "":
		data, err = c.readAnswers(source, where)
	case c.votes():
		data, err = fitting.ReadPairs(source, c.name(), recorded.Pairs{
			Left: c.Left, Right: c.Right, Winner: c.Winner, Loser: c.Loser, Respondent: c.Respondent, Count: c.Count, Ties: c.Ties, Where: where,
		})
	default:
		data, err = fitting.ReadLong(source, c.name(), c.form(where))
	}
	if err != nil {
		return nil, command.Invalid(err)
	}
	return data, nil
}

// readAnswers reads answers and their arms.
func (c *fitCommand) readAnswers(source *command.Input, where []recorded.Condition) (*fitting.Data, error) {
	arms, err := os.Open(c.Arms)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Arms, command.Cause(err))
	}
	defer func() { _ = arms.Close() }() // only read
	return fitting.ReadAnswers(recorded.Source{Reader: source, Name: c.name()}, recorded.Source{Reader: arms, Name: c.Arms},
		c.form(where))
}

// form returns the columns of choices.
func (c *fitCommand) form(where []recorded.Condition) recorded.LongForm {
	form := recorded.LongForm{
		Task: c.Task, Alternative: c.Alternative, Chosen: c.Chosen, Rank: c.Rank, Respondent: c.Respondent,
		Available: c.Available, Weight: c.Weights, Features: c.Features, ByAlternative: c.ByAlternative,
		Constants: c.Constants, Alternatives: c.Alternatives, Base: c.Base, Numbers: c.Numbers, Where: where, Answers: c.Checks,
		Outside: c.Outside, Worst: c.Worst, Ties: c.Ties,
	}
	if c.allConstants() {
		form.Constants, form.AllConstants = nil, true
	}
	return form
}

// allConstants reports whether every alternative but the base has a constant.
func (c *fitCommand) allConstants() bool { return len(c.Constants) == 1 && c.Constants[0] == "all" }

// conditions parses the conditions on rows.
func (c *fitCommand) conditions() ([]recorded.Condition, error) {
	var where []recorded.Condition
	for _, text := range c.Where {
		condition, err := recorded.ParseCondition(text)
		if err != nil {
			return nil, fmt.Errorf("--where: %w", err)
		}
		where = append(where, condition)
	}
	return where, nil
}

// namesVotes reports whether flags name the columns of votes between pairs.
func (c *fitCommand) namesVotes() bool {
	return c.Left != "" || c.Right != "" || c.Winner != "" || c.Loser != "" || c.Count != ""
}

// namesModel reports whether flags name columns of a model of choices.
func (c *fitCommand) namesModel() bool {
	return len(c.Features)+len(c.Constants)+len(c.ByAlternative) > 0
}

// votes reports whether the file holds votes between pairs: if flags say so, or none says otherwise.
func (c *fitCommand) votes() bool { return c.namesVotes() || !c.namesModel() }

// check rejects flags that exclude each other.
func (c *fitCommand) check() error {
	if c.votes() {
		return c.checkVotes()
	}
	return c.checkModel()
}

// checkVotes rejects flags that do not go with votes.
func (c *fitCommand) checkVotes() error {
	sides := c.Left != "" && c.Right != "" && c.Winner != ""
	switch {
	case c.Arms != "":
		return errors.New("--arms needs --features")
	case c.Loser != "" && (c.Winner == "" || c.Left != "" || c.Right != ""):
		return errors.New("--winner and --loser go together, without --left and --right")
	case c.Loser == "" && !sides && c.Left+c.Right+c.Winner != "":
		return errors.New("--left, --right and --winner go together")
	case c.Rank != "" || c.namesModel() || len(c.Base) > 0:
		return errors.New("--rank, --features, --by-alternative, --constants and --base do not go with --left, --right and --winner")
	case c.Outside || c.Worst != "":
		return errors.New("--outside and --worst need --features or --constants, and do not go with votes")
	case c.Checks:
		return errors.New("--checks does not go with --left, --right and --winner")
	case c.Available+c.Weights+c.WTP+c.Shares != "" || c.Holdout > 0 || len(c.Alternatives)+len(c.Numbers) > 0:
		return errors.New("--available, --weights, --wtp, --shares, --holdout, --alternatives and --numbers do not go with votes")
	}
	return nil
}

// checkModel rejects flags that do not go with choices.
func (c *fitCommand) checkModel() error {
	switch {
	case c.Task == "":
		return errors.New("--task must name a column")
	case c.Chosen == "" && c.Rank == "":
		return errors.New("--chosen must name a column")
	}
	if err := c.checkOffer(); err != nil {
		return err
	}
	columns := slices.Concat(c.Features, c.ByAlternative)
	for flag, names := range map[string][]string{
		"--features": c.Features, "--constants": c.Constants, "--by-alternative": c.ByAlternative, "--alternatives": c.Alternatives,
	} {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("%s: %q is named twice", flag, name)
			}
		}
	}
	for column := range c.Base {
		if !slices.Contains(columns, column) && column != c.Alternative {
			return fmt.Errorf("--base: %q is not among the --features", column)
		}
	}
	for _, column := range c.Numbers {
		if !slices.Contains(columns, column) {
			return fmt.Errorf("--numbers: %q is not among the --features", column)
		}
	}
	return nil
}

// checkOffer rejects flags that do not go with other answers than picks.
func (c *fitCommand) checkOffer() error {
	switch {
	case !c.Outside && !c.Ties && c.Worst == "":
		return nil
	case c.Arms != "" && c.Worst != "" && c.Worst != "worst":
		return fmt.Errorf("--worst must be worst with --arms, the second pick of an answer, got %q", c.Worst)
	case c.Rank != "" && (c.Worst != "" || c.Ties):
		return errors.New("--worst and --ties do not go with --rank")
	case c.Checks || c.Holdout > 0:
		return errors.New("--checks and --holdout do not go with --outside, --worst and --ties")
	case c.Shares != "" && (c.Outside || c.Ties):
		return errors.New("--shares does not go with --outside and --ties")
	}
	return nil
}
