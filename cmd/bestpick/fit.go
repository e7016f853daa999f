package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/fitting"
	"bestpick/internal/recorded"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
	"bestpick/internal/table"
)

// fitCommand estimates a choice model from recorded choices.
type fitCommand struct {
	command.JSONFlag `embed:"" group:"Results"`

	File string `arg:"" help:"CSV, JSON Lines, Parquet or .xlsx file, plain or gzip; - reads standard input."`

	Task          string            `group:"Columns" default:"task" help:"Column that tells which rows are one task."`
	Alternative   string            `group:"Columns" default:"alternative" help:"Column that names the alternative."`
	Chosen        string            `group:"Columns" default:"chosen" help:"Column that is 1 on the row picked, or in wide form names the alternative picked."`
	Rank          []string          `group:"Columns" help:"Column of ranks instead of --chosen: 1 is best, empty is unranked; or a column for each item." placeholder:"COLUMN"`
	Order         []string          `group:"Columns" help:"Columns with the alternative or item in each place, best first: rank for rank1, rank2, …, or all." placeholder:"COLUMN"`
	Features      []string          `group:"Model" help:"Columns of the model: numbers, or text that becomes indicators. In wide form without the alternative: price for price_A, price_B."`
	ByAlternative []string          `group:"Model" help:"Columns with a coefficient for each alternative, such as the income of the respondent."`
	Constants     []string          `group:"Model" help:"Alternatives with an alternative-specific constant; all gives one to each but the base."`
	Base          map[string]string `group:"Model" placeholder:"COLUMN=LEVEL" help:"Base level of a text column or of the alternatives (default: first seen)." mapsep:","`
	Numbers       []string          `group:"Columns" help:"Features whose values are numbers with units, such as $5."`
	Alternatives  []string          `group:"Columns" help:"Alternatives of a file in wide form (default: as the columns name them), or items on offer in every ranking."`
	Available     string            `group:"Columns" help:"Column that is 1 where the alternative was on offer; other rows are left out." placeholder:"COLUMN"`
	Weights       string            `group:"Columns" help:"Column of weights of the tasks." placeholder:"COLUMN"`
	Where         []string          `group:"Columns" help:"Use only rows that satisfy a condition, such as purpose=1|3 or age>=18."`
	SkipMissing   bool              `group:"Columns" help:"Leave out tasks with a missing feature, and count them."`
	Respondent    string            `group:"Columns" help:"Column of respondents: cluster the errors by it." placeholder:"COLUMN"`
	Arms          string            `group:"Columns" help:"File of the arms or items, with a column id: their features." placeholder:"FILE"`

	Left   string   `group:"Votes and rankings of items" help:"Column of the left item." placeholder:"COLUMN"`
	Right  string   `group:"Votes and rankings of items" help:"Column of the right item." placeholder:"COLUMN"`
	Winner string   `group:"Votes and rankings of items" help:"Column that says left, right or tie, or names the winner." placeholder:"COLUMN"`
	Loser  string   `group:"Votes and rankings of items" help:"Column of the item that lost, instead of --left and --right." placeholder:"COLUMN"`
	Wins   []string `group:"Votes and rankings of items" help:"Columns with the wins of the left and of the right item, and ties, instead of --winner." placeholder:"COLUMN"`
	Items  []string `group:"Votes and rankings of items" help:"Columns of the items shown, of which --chosen and --worst name two: item for item_a, item_b, …" placeholder:"COLUMN"`
	Count  string   `group:"Votes and rankings of items" help:"Column with the number of equal votes or rankings." placeholder:"COLUMN"`
	Side   bool     `group:"Votes and rankings of items" help:"Estimate the advantage of the left item, such as the home team."`

	Outside bool   `group:"Model" help:"A task without a pick is a choice of none of its alternatives, which has a constant."`
	Worst   string `group:"Model" help:"Column that is 1 on the row of the worst alternative, or in wide form names it." placeholder:"COLUMN"`
	Classes string `group:"Model" help:"Latent classes: people of a class have the same part-worths. A number, or auto for the number with the least BIC." placeholder:"NUMBER"`
	Ties    bool   `group:"Model" help:"Estimate how likely ties are: votes that say tie, or tasks with all alternatives chosen."`

	Errors  string  `group:"Results" help:"Errors for tests and intervals: plain, robust or clustered (default: clustered with --respondent, robust with --weights, else plain)." enum:",plain,robust,clustered" default:""`
	WTP     string  `group:"Results" name:"wtp" help:"Also report the willingness to pay, in units of this price parameter." placeholder:"PARAMETER"`
	Shares  string  `group:"Results" help:"Also predict the shares of the alternatives in this file." placeholder:"FILE"`
	Holdout float64 `group:"Results" default:"0" min:"0" below:"1" help:"Share of the respondents to hold out and predict, such as 0.2."`
	Seed    uint64  `group:"Results" default:"1" help:"Seed for --holdout and the starts of --classes."`
	Checks  bool    `group:"Results" help:"Also check whether the choices fit the model, in the order of the file."`

	Ridge float64 `group:"Model" default:"0" min:"0" max:"1e100" help:"Penalty on the squared estimates, taken off the log-likelihood."`
	Save  string  `group:"Results" help:"Also write the JSON document to this file, for simulate --utilities, with the classes of --classes as the crowd." placeholder:"FILE"`
	Quiet bool    `group:"Results" help:"Show no progress."`
}

// Help is the long help of the command.
func (c *fitCommand) Help() string {
	return `Long form, a row for each alternative of a task:

    bestpick fit choices.csv --features time,cost --constants train,car

Wide form, a row for each task, with columns such as time_train and time_car:

    bestpick fit choices.csv --features time,cost --constants all --chosen mode

Votes between two items and rankings, one utility an item; usual names need no flags:

    bestpick fit votes.csv --left left --right right --winner winner
    bestpick fit games.csv --left home --right away --wins won,lost,drawn --side
    bestpick fit races.csv --order rank
    bestpick fit tastes.csv --rank tea,coffee,milk
    bestpick fit trials.csv --items variety --chosen best --worst worst
    bestpick fit election.soc

Answers that a live study exported:

    bestpick fit answers.csv --arms arms.csv --features price,colour
    bestpick fit log.jsonl --features price,colour`
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
	if c.Classes != "" {
		return c.fitClasses(s, data, read.Sub(start))
	}
	report, err := c.fit(data)
	if err != nil {
		for _, hint := range data.Hints {
			_, _ = fmt.Fprintf(s.Err, "Hint: %s.\n", hint) // the error matters more
		}
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
	return c.write(s, report, report.text())
}

// write saves the report if requested, and prints it.
func (c *fitCommand) write(s command.Streams, report any, text string) error {
	if c.Save != "" {
		if err := command.WriteFile(c.Save, func(w io.Writer) error { return command.PrintJSON(w, report) }); err != nil {
			return err
		}
	}
	return c.Write(s.Out, report, text)
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
	text, err := table.Unpacked(source)
	if err != nil {
		return nil, command.Invalid(table.ReadError(c.name(), err))
	}
	var data *fitting.Data
	switch start, _ := text.Peek(len(replay.LogStart)); {
	case string(start) == replay.LogStart:
		data, err = c.readLog(text, where)
	case c.Arms != "":
		data, err = c.readAnswers(text, where)
	case c.votes():
		data, err = fitting.ReadItems(text, c.name(), c.itemForm(where))
	default:
		data, err = fitting.ReadLong(text, c.name(), c.form(where))
	}
	if err != nil {
		return nil, command.Invalid(err)
	}
	return data, nil
}

// readAnswers reads answers and their arms.
func (c *fitCommand) readAnswers(source io.Reader, where []recorded.Condition) (*fitting.Data, error) {
	arms, err := os.Open(c.Arms)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Arms, command.Cause(err))
	}
	defer func() { _ = arms.Close() }() // only read
	given, of := recorded.Source{Reader: source, Name: c.name()}, recorded.Source{Reader: arms, Name: c.Arms}
	if c.namesItems() {
		return fitting.ReadItemsWith(given, of, c.itemForm(where), c.form(where))
	}
	return fitting.ReadAnswers(given, of, c.form(where))
}

// itemForm returns the columns of answers about items.
func (c *fitCommand) itemForm(where []recorded.Condition) recorded.ItemForm {
	form := recorded.ItemForm{
		Left: c.Left, Right: c.Right, Winner: c.Winner, Loser: c.Loser, Wins: c.Wins, Order: c.Order, Ranks: c.Rank, Shown: c.Items,
		Worst: c.Worst, Respondent: c.Respondent, Count: c.Count, Offered: c.Alternatives, Ties: c.Ties, Side: c.Side,
		Base: c.Base[c.Alternative], Where: where,
	}
	if c.Chosen != defaultChosen {
		form.Best = c.Chosen
	}
	return form
}

// defaultChosen is the usual name of the column of picks.
const defaultChosen = "chosen"

// readLog reads the answers and the arms of the log of a study.
func (c *fitCommand) readLog(source io.Reader, where []recorded.Condition) (*fitting.Data, error) {
	if c.votes() {
		return nil, fmt.Errorf("%s: the log of a study needs --features, columns of its options, or --constants all", c.name())
	}
	var given, arms bytes.Buffer
	if err := overview.FromLog(context.Background(), source, &given, &arms); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name(), err)
	}
	if c.Arms != "" {
		return c.readAnswers(&given, where)
	}
	return fitting.ReadAnswers(recorded.Source{Reader: &given, Name: c.name() + " (answers)"},
		recorded.Source{Reader: &arms, Name: c.name() + " (options)"}, c.form(where))
}

// form returns the columns of choices.
func (c *fitCommand) form(where []recorded.Condition) recorded.LongForm {
	form := recorded.LongForm{
		Task: c.Task, Alternative: c.Alternative, Chosen: c.Chosen, Order: c.Order, Respondent: c.Respondent,
		Available: c.Available, Weight: c.Weights, Features: c.Features, ByAlternative: c.ByAlternative,
		Constants: c.Constants, Alternatives: c.Alternatives, Base: c.Base, Numbers: c.Numbers, Where: where,
		Answers: c.Checks || c.Classes != "",
		Outside: c.Outside, Worst: c.Worst, Ties: c.Ties, SkipMissing: c.SkipMissing,
	}
	if len(c.Rank) > 0 {
		form.Rank = c.Rank[0]
	}
	if slices.Equal(c.Constants, []string{"all"}) {
		form.Constants, form.AllConstants = nil, true
	}
	return form
}

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

// namesItems reports whether flags name the columns of answers about items.
func (c *fitCommand) namesItems() bool {
	return c.Left+c.Right+c.Winner+c.Loser+c.Count != "" || len(c.Wins)+len(c.Items) > 0 || len(c.Rank) > 1 ||
		c.Arms != "" && (c.Side || len(c.Order)+len(c.Rank) > 0)
}

// namesModel reports whether flags name columns of a model of choices.
func (c *fitCommand) namesModel() bool {
	return len(c.Features)+len(c.Constants)+len(c.ByAlternative) > 0
}

// votes reports whether the file holds answers about items: if flags say so, or none says otherwise.
func (c *fitCommand) votes() bool { return c.namesItems() || !c.namesModel() }

// check rejects flags that exclude each other.
func (c *fitCommand) check() error {
	if c.votes() {
		if err := c.checkItems(); err != nil || c.Arms == "" {
			return err
		}
	}
	return c.checkModel()
}

// checkItems rejects flags that do not go with answers about items.
func (c *fitCommand) checkItems() error {
	sides := c.Left != "" && c.Right != ""
	_, based := c.Base[c.Alternative]
	switch {
	case c.Loser != "" && (c.Winner == "" || c.Left+c.Right != "" || c.Side):
		return errors.New("--winner and --loser go together, without --left, --right and --side")
	case len(c.Wins) > 0 && (c.Winner != "" || len(c.Wins) < 2 || len(c.Wins) > 3):
		return errors.New("--wins takes two or three columns, without --winner: the wins of the left and the right item, and ties")
	case c.Loser == "" && len(c.Wins) == 0 && c.Left+c.Right+c.Winner != "" && (!sides || c.Winner == ""),
		(c.Left == "") != (c.Right == ""):
		return errors.New("--left, --right and --winner or --wins go together")
	case c.shapes() > 1:
		return errors.New("votes, --order, --rank, and --items with --chosen and --worst exclude each other")
	case c.Arms == "" && c.namesModel():
		return errors.New("--features, --by-alternative and --constants of items need --arms, a file with their features")
	case c.Arms != "" && !c.namesModel():
		return errors.New("--arms needs --features")
	case c.Arms == "" && len(c.Base) > picked(based):
		return fmt.Errorf("--base of items must be %s=ITEM", c.Alternative)
	case c.Classes != "" && c.Arms == "":
		return errors.New("--classes needs --features or --constants, and does not go with items")
	case c.Outside:
		return errors.New("--outside needs --features or --constants, and does not go with items")
	case c.Arms != "":
		return nil
	case c.Available+c.Weights+c.WTP+c.Shares != "" || c.Holdout > 0 || len(c.Numbers) > 0:
		return errors.New("--available, --weights, --wtp, --shares, --holdout and --numbers need --features or --constants")
	}
	return nil
}

// shapes returns how many shapes of answers about items the flags name.
func (c *fitCommand) shapes() int {
	return picked(c.Left+c.Loser != "" || len(c.Wins) > 0) + picked(len(c.Order) > 0) + picked(len(c.Rank) > 0) +
		picked(len(c.Items) > 0 || c.Worst != "" || c.Chosen != defaultChosen)
}

// picked returns 1 for yes.
func picked(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// checkModel rejects flags that do not go with choices.
func (c *fitCommand) checkModel() error {
	switch {
	case c.Task == "":
		return errors.New("--task must name a column")
	case c.Chosen == "" && len(c.Rank)+len(c.Order) == 0:
		return errors.New("--chosen must name a column")
	}
	if err := cmp.Or(c.checkOffer(), c.checkClasses()); err != nil {
		return err
	}
	columns := slices.Concat(c.Features, c.ByAlternative)
	for flag, names := range map[string][]string{
		"features": c.Features, "constants": c.Constants, "by-alternative": c.ByAlternative, "alternatives": c.Alternatives,
	} {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("--%s: %q is named twice", flag, name)
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
	case c.Arms != "" && c.Worst != "" && c.Worst != "worst" && !c.namesItems():
		return fmt.Errorf("--worst must be worst with --arms, the second pick of an answer, got %q", c.Worst)
	case len(c.Rank)+len(c.Order) > 0 && (c.Worst != "" || c.Ties):
		return errors.New("--worst and --ties do not go with --rank and --order")
	case c.Checks || c.Holdout > 0:
		return errors.New("--checks and --holdout do not go with --outside, --worst and --ties")
	case c.Shares != "" && (c.Outside || c.Ties):
		return errors.New("--shares does not go with --outside and --ties")
	}
	return nil
}
