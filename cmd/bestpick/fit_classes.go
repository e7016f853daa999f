package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"text/tabwriter"
	"time"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/fitting"
)

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
		text.Printf("%d of %d starts followed to the end reached this maximum (seed %d).", r.Starts.Reached, r.Starts.Ended, r.Starts.Seed)
		if r.Starts.Reached == 1 {
			text.Printf(" There may be a higher one: try other seeds, or fewer classes.")
		}
		text.Printf("\n")
	}
	text.Printf("Read in %.3f s, fitted in %.3f s.\n", r.Seconds.Read, r.Seconds.Fit)
}
