package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"bestpick/checks"
	"bestpick/cmd/bestpick/command"
	"bestpick/internal/fitting"
)

// fitReport is the JSON document of `bestpick fit`, and the content of its table.
type fitReport struct {
	*fitting.Result

	WTP     []fitting.Derived `json:"willingness_to_pay,omitempty"`
	Shares  []fitting.Shares  `json:"shares,omitempty"`
	Holdout *fitting.Holdout  `json:"holdout,omitempty"`
	Hints   []string          `json:"hints,omitempty"`
	Model   *fitting.Model    `json:"model,omitempty"` // where it was checked
	Seconds fitSeconds        `json:"seconds"`

	ridge float64
}

// fitSeconds is the time of reading and of fitting, in seconds.
type fitSeconds struct {
	Read float64 `json:"read"`
	Fit  float64 `json:"fit"`
}

func (r *fitReport) text() string {
	var text command.Text
	switch {
	case r.Items > 0:
		text.Printf("%s", r.Title)
	default:
		text.Printf("Conditional logit: %d tasks, %d alternatives", r.Tasks, r.Alternatives)
	}
	if r.Respondents > 0 {
		text.Printf(", %d respondents", r.Respondents)
	}
	text.Printf("\n\n")
	robust := "Robust s.e."
	if r.Respondents > 0 && r.Errors != fitting.Robust {
		robust = "Clustered s.e."
	}
	printParameters(&text, r.Parameters, robust)
	text.Printf("\nLog-likelihood %.4f, with equal shares %.4f", r.LogLikelihood, r.NullLogLikelihood)
	if r.ridge > 0 {
		text.Printf(", under a ridge of %g\n", r.ridge)
	} else {
		text.Printf(", McFadden's R² %.4f, AIC %.2f\n", r.Statistics.Rho, r.Statistics.AIC)
		printStatistics(&text, r.Statistics)
	}
	text.Printf("Converged in %d iterations, gradient norm %.1e. Read in %.3f s, fitted in %.3f s.\n",
		r.Iterations, r.GradientNorm, r.Seconds.Read, r.Seconds.Fit)
	r.printDerived(&text)
	if r.Model != nil {
		printModel(&text, *r.Model, r.Respondents)
	}
	for _, hint := range r.Hints {
		text.Printf("\nHint: %s.\n", hint)
	}
	return text.String()
}

// printModel prints whether the choices fit the model, and the evidence of every check.
func printModel(text *command.Text, f fitting.Model, respondents int) {
	switch f.Status {
	case checks.Fits:
		text.Printf("\nThe choices fit the model.")
	case checks.Doubtful, checks.Refuted:
		text.Printf("\nThe model is %s: %s. Remedy: %s.", f.Status, f.Sentence, f.Remedy)
	}
	text.Printf(" Evidence against it, as odds:")
	for _, check := range checks.All() {
		text.Printf(" %s %s", check, odds(f.Each[check]))
	}
	text.Printf("\n")
	if respondents > 0 {
		text.Printf("Of %d respondents %d keep to one place, and the picks of %d look random (which is no reason to leave them out).\n",
			respondents, len(f.SameSlot), len(f.Clicking))
	}
}

// odds formats a logarithm as odds to one.
func odds(log float64) string {
	if log < math.Log(1000) {
		return fmt.Sprintf("%.2g", math.Exp(log))
	}
	return fmt.Sprintf("10^%.0f", log/math.Ln10)
}

// printParameters prints a table of estimates. robust is the title of the robust errors.
func printParameters(text *command.Text, parameters []fitting.Parameter, robust string) {
	scale := numberScale{smallest: math.Inf(1)}
	for _, p := range parameters {
		scale.add(p.Name, p.Estimate, p.SE)
	}
	number := scale.format()
	rows := []string{fmt.Sprintf("%-*s\tEstimate\tStd. error\t%s\tz\tPr(>|z|)\t2.5%%\t97.5%%\t", scale.widest, "", robust)}
	for _, p := range parameters {
		sandwich := "–"
		if p.RobustSE != nil {
			sandwich = number(*p.RobustSE)
		}
		rows = append(rows, fmt.Sprintf("%-*s\t%s\t%s\t%s\t%.2f\t%s\t%s\t%s\t", scale.widest, p.Name,
			number(p.Estimate), number(p.SE), sandwich, p.Z, formatP(p.P), number(p.Low), number(p.High)))
	}
	text.Columns(tabwriter.AlignRight, rows)
}

// printEstimates prints numbers with their errors and intervals.
func printEstimates(text *command.Text, numbers []fitting.Derived) {
	scale := numberScale{smallest: math.Inf(1)}
	for _, d := range numbers {
		scale.add(d.Name, d.Value, d.SE)
	}
	number := scale.format()
	rows := []string{fmt.Sprintf("%-*s\tEstimate\tStd. error\t2.5%%\t97.5%%\t", scale.widest, "")}
	for _, d := range numbers {
		rows = append(rows, fmt.Sprintf("%-*s\t%s\t%s\t%s\t%s\t", scale.widest, d.Name,
			number(d.Value), number(d.SE), number(d.Low), number(d.High)))
	}
	text.Columns(tabwriter.AlignRight, rows)
}

// A numberScale has the length of the longest name in a table, its smallest error and its largest number.
type numberScale struct {
	widest            int
	smallest, largest float64
}

func (s *numberScale) add(name string, value, se float64) {
	s.widest = max(s.widest, utf8.RuneCountInString(name))
	s.smallest, s.largest = min(s.smallest, se), max(s.largest, se, math.Abs(value))
}

// format returns how to write the numbers of the table: all with as many decimals as show the smallest error to four
// digits, or, if the numbers are of too different a size, with exponents.
func (s *numberScale) format() func(float64) string {
	decimals := max(3-int(math.Floor(math.Log10(s.smallest))), 0)
	if !(s.smallest > 0) || decimals > 9 || s.largest > 1e9 {
		return func(x float64) string { return strconv.FormatFloat(x, 'e', 4, 64) }
	}
	return func(x float64) string { return strconv.FormatFloat(x, 'f', decimals, 64) }
}

// formatP formats a p-value as R does.
func formatP(p float64) string {
	if p < 2e-16 {
		return "<2e-16"
	}
	return strconv.FormatFloat(p, 'g', 3, 64)
}

// printStatistics prints how well the model fits.
func printStatistics(text *command.Text, s *fitting.Statistics) {
	text.Printf("BIC %.2f, adjusted R² %.4f, likelihood-ratio test against equal shares: %s\n", s.BIC, s.AdjustedRho,
		formatTest(s.EqualShares))
	if s.Constants == nil {
		return
	}
	text.Printf("With constants only %.4f: R² %.4f", s.Constants.LogLikelihood, s.Constants.Rho)
	if s.Constants.Test != nil {
		text.Printf(", likelihood-ratio test against it: %s", formatTest(*s.Constants.Test))
	}
	text.Printf("\n")
}

// formatTest formats a likelihood-ratio test.
func formatTest(t fitting.LikelihoodRatio) string {
	p := "= " + formatP(t.P)
	if formatP(t.P)[0] == '<' {
		p = "< " + formatP(t.P)[1:]
	}
	return fmt.Sprintf("χ²(%d) = %.2f, p %s", t.DegreesOfFreedom, t.Statistic, p)
}

// printDerived prints what is derived from the estimates: willingness to pay, shares and the hold-out.
func (r *fitReport) printDerived(text *command.Text) {
	if len(r.WTP) > 0 {
		text.Printf("\nWillingness to pay\n")
		printEstimates(text, r.WTP)
	}
	for _, s := range r.Shares {
		text.Printf("\nPredicted shares")
		if s.Scenario != "" {
			text.Printf(" of scenario %s", s.Scenario)
		}
		text.Printf("\n")
		printEstimates(text, s.Shares)
	}
	if h := r.Holdout; h != nil {
		text.Printf("\nHeld out: %d tasks", h.Tasks)
		if h.Respondents > 0 {
			text.Printf(" of %d respondents", h.Respondents)
		}
		text.Printf(". Hit rate %.1f%% (%.1f%% by chance), log-likelihood %.4f, with equal shares %.4f.\n",
			100*h.HitRate, 100*h.ChanceRate, h.LogLikelihood, h.NullLogLikelihood)
	}
}

// classReport is the JSON document of `bestpick fit --classes`, and the content of its table.
type classReport struct {
	*fitting.Classes

	Hints   []string   `json:"hints,omitempty"`
	Seconds fitSeconds `json:"seconds"`
}

// checkClasses rejects flags that do not go with classes.
func (c *fitCommand) checkClasses() error {
	count, err := strconv.Atoi(c.Classes)
	switch {
	case c.Classes == "":
		return nil
	case c.Classes != autoClasses && (err != nil || count < 1 || count > maxFitClasses):
		return fmt.Errorf("--classes must be auto, or from 1 to %d, got %q", maxFitClasses, c.Classes)
	case c.Respondent == "":
		return errors.New("--classes needs --respondent, because a class is a part of the respondents")
	case c.Checks || c.Holdout > 0 || c.Weights+c.Count+c.Shares != "":
		return errors.New("--checks, --holdout, --weights, --count and --shares do not go with --classes")
	case c.Errors == string(fitting.Robust):
		return errors.New("--errors must be plain or clustered with --classes")
	case c.Classes == autoClasses && c.Ridge > 0:
		return errors.New("--classes auto does not go with --ridge, which changes the meaning of BIC")
	}
	return nil
}

const (
	autoClasses   = "auto" // the number with the least BIC
	maxFitClasses = 20     // bounds the time of a fit
)

// fitClasses fits latent classes and prints them.
func (c *fitCommand) fitClasses(s command.Streams, data *fitting.Data, read time.Duration) error {
	start := time.Now()
	count, _ := strconv.Atoi(c.Classes) // 0 for auto
	fitted, err := data.FitClasses(fitting.ClassOptions{
		Options: fitting.Options{Ridge: c.Ridge, Errors: fitting.Errors(c.Errors)}, Count: count, Seed: c.Seed, Price: c.WTP,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.name(), err)
	}
	report := &classReport{Classes: fitted, Hints: data.Hints, Seconds: fitSeconds{read.Seconds(), time.Since(start).Seconds()}}
	return c.write(s, report, report.text(c.Ridge))
}

func (r *classReport) text(ridge float64) string {
	var text command.Text
	text.Printf("Latent classes: %d tasks, %d alternatives, %d respondents, ", r.Tasks, r.Alternatives, r.Respondents)
	if len(r.Classes.Classes) == 1 {
		text.Printf("1 class\n")
	} else {
		text.Printf("%d classes\n", len(r.Classes.Classes))
	}
	for _, class := range r.Classes.Classes {
		text.Printf("\n%s: %.1f%% of the respondents", class.Share.Name, 100*class.Share.Value)
		if class.Share.SE > 0 {
			text.Printf(" (%.1f%% to %.1f%%), most probable for %d", 100*class.Share.Low, 100*class.Share.High, class.Members)
		}
		text.Printf("\n")
		printParameters(&text, class.Parameters, "Clustered s.e.")
		if class.Best != nil {
			text.Printf("  Best: %s\n", class.Best.Name)
		}
		if len(class.WTP) > 0 {
			text.Printf("  Willingness to pay\n")
			printEstimates(&text, class.WTP)
		}
	}
	r.printBest(&text)
	text.Printf("\nLog-likelihood %.4f, with equal shares %.4f", r.LogLikelihood, r.NullLogLikelihood)
	if r.Statistics == nil {
		text.Printf(", under a ridge of %g\n", ridge)
	} else {
		text.Printf(", McFadden's R² %.4f, AIC %.2f, BIC %.2f\n", r.Statistics.Rho, r.Statistics.AIC, r.Statistics.BIC)
	}
	r.printStarts(&text)
	for _, hint := range r.Hints {
		text.Printf("\nHint: %s.\n", hint)
	}
	return text.String()
}

// printBest prints the best alternative of all respondents.
func (r *classReport) printBest(text *command.Text) {
	if r.Best == nil || len(r.Classes.Classes) == 1 {
		return
	}
	text.Printf("\nBest of the %d different alternatives, for all: %s\n", r.Options, r.Best.Name)
	if r.Best.Cycle {
		text.Printf("It has the largest mean utility; there is a cycle: more than half prefer some other to each alternative.\n")
		return
	}
	text.Printf("At least %.1f%% of the respondents choose it over any other.\n", math.Floor(1000*r.Best.Least)/10)
}

// printStarts prints the numbers of classes tried, and how often the maximum was found.
func (r *classReport) printStarts(text *command.Text) {
	if len(r.Tried) > 0 {
		rows := []string{"Classes\tLog-likelihood\tBIC\t"}
		for _, tried := range r.Tried {
			rows = append(rows, fmt.Sprintf("%d\t%.4f\t%.2f\t", tried.Classes, tried.LogLikelihood, tried.BIC))
		}
		text.Printf("\n")
		text.Columns(tabwriter.AlignRight, rows)
	}
	if r.Starts.Ended > 1 {
		text.Printf("%d of %d starts followed to the end reached this maximum (seed %d).",
			r.Starts.Reached, r.Starts.Ended, r.Starts.Seed)
		if r.Starts.Reached == 1 {
			text.Printf(" There may be a higher one: try other seeds, or fewer classes.")
		}
		text.Printf("\n")
	}
	text.Printf("Read in %.3f s, fitted in %.3f s.\n", r.Seconds.Read, r.Seconds.Fit)
}
