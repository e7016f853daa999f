package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"bestpick/checks"
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
	Seconds struct {
		Read float64 `json:"read"`
		Fit  float64 `json:"fit"`
	} `json:"seconds"`

	ridge float64
}

func (r *fitReport) printTable(w io.Writer) error {
	var text strings.Builder
	switch {
	case r.Ties:
		fmt.Fprintf(&text, "Davidson: %d votes between %d items (utilities sum to zero)", r.Tasks, r.Items)
	case r.Items > 0:
		fmt.Fprintf(&text, "Bradley–Terry: %d votes between %d items (utilities sum to zero)", r.Tasks, r.Items)
	default:
		fmt.Fprintf(&text, "Conditional logit: %d tasks, %d alternatives", r.Tasks, r.Alternatives)
	}
	robust := "Robust s.e."
	if r.Respondents > 0 {
		if r.Errors != fitting.Robust {
			robust = "Clustered s.e."
		}
		fmt.Fprintf(&text, ", %d respondents", r.Respondents)
	}
	text.WriteString("\n\n")

	if err := r.writeParameters(&text, robust); err != nil {
		return err
	}

	fmt.Fprintf(&text, "\nLog-likelihood %.4f, with equal shares %.4f", r.LogLikelihood, r.NullLogLikelihood)
	if r.ridge > 0 {
		fmt.Fprintf(&text, ", under a ridge of %g\n", r.ridge)
	} else {
		fmt.Fprintf(&text, ", McFadden's R² %.4f, AIC %.2f\n", r.Statistics.Rho, r.Statistics.AIC)
		writeStatistics(&text, r.Statistics)
	}
	fmt.Fprintf(&text, "Converged in %d iterations, gradient norm %.1e. Read in %.3f s, fitted in %.3f s.\n",
		r.Iterations, r.GradientNorm, r.Seconds.Read, r.Seconds.Fit)
	if err := r.writeDerived(&text); err != nil {
		return err
	}
	if r.Model != nil {
		writeModel(&text, *r.Model, r.Respondents)
	}
	for _, hint := range r.Hints {
		fmt.Fprintf(&text, "\nHint: %s.\n", hint)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeModel writes whether the choices fit the model, and the evidence of every check.
func writeModel(text *strings.Builder, f fitting.Model, respondents int) {
	switch f.Status {
	case checks.Fits:
		text.WriteString("\nThe choices fit the model.")
	case checks.Doubtful, checks.Refuted:
		fmt.Fprintf(text, "\nThe model is %s: %s. In a study: %s.", f.Status, f.Sentence, f.Remedy)
	}
	text.WriteString(" Evidence against it, as odds:")
	for _, check := range checks.All() {
		fmt.Fprintf(text, " %s %s", check, odds(f.Each[check]))
	}
	text.WriteString("\n")
	if respondents > 0 {
		fmt.Fprintf(text, "Of %d respondents %d keep to one place, and the picks of %d look random (which is no reason to "+
			"leave them out).\n",
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

// writeParameters writes the table itself.
func (r *fitReport) writeParameters(w io.Writer, robust string) error {
	widest := 0
	for _, p := range r.Parameters {
		widest = max(widest, utf8.RuneCountInString(p.Name))
	}
	number := r.numberFormat()
	var rows strings.Builder
	fmt.Fprintf(&rows, "%-*s\tEstimate\tStd. error\t%s\tz\tPr(>|z|)\t2.5%%\t97.5%%\t\n", widest, "", robust)
	for _, p := range r.Parameters {
		sandwich := "–"
		if p.RobustSE != nil {
			sandwich = number(*p.RobustSE)
		}
		fmt.Fprintf(&rows, "%-*s\t%s\t%s\t%s\t%.2f\t%s\t%s\t%s\t\n", widest, p.Name,
			number(p.Estimate), number(p.SE), sandwich, p.Z, formatP(p.P), number(p.Low), number(p.High))
	}
	return alignRight(w, rows.String())
}

// alignRight writes rows of columns, which end in tabs, aligned at the right.
func alignRight(w io.Writer, rows string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := io.WriteString(table, rows); err != nil {
		return err
	}
	return table.Flush()
}

// numberFormat returns how to write the numbers of the table: all with as many
// decimals as show the smallest error to four digits, or, where the numbers are of
// too different a size, with exponents.
func (r *fitReport) numberFormat() func(float64) string {
	smallest, largest := math.Inf(1), 0.0
	for _, p := range r.Parameters {
		smallest, largest = min(smallest, p.SE), max(largest, p.SE, math.Abs(p.Estimate))
	}
	return numberFormat(smallest, largest)
}

// numberFormat returns how to write numbers up to the largest with errors from the smallest on.
func numberFormat(smallest, largest float64) func(float64) string {
	decimals := max(3-int(math.Floor(math.Log10(smallest))), 0)
	if !(smallest > 0) || decimals > 9 || largest > 1e9 {
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

// writeStatistics writes how well the model fits.
func writeStatistics(text *strings.Builder, s *fitting.Statistics) {
	fmt.Fprintf(text, "BIC %.2f, adjusted R² %.4f, likelihood-ratio test against equal shares: %s\n", s.BIC, s.AdjustedRho,
		formatTest(s.EqualShares))
	if s.Constants == nil {
		return
	}
	fmt.Fprintf(text, "With constants only %.4f: R² %.4f", s.Constants.LogLikelihood, s.Constants.Rho)
	if s.Constants.Test != nil {
		fmt.Fprintf(text, ", likelihood-ratio test against it: %s", formatTest(*s.Constants.Test))
	}
	text.WriteString("\n")
}

// formatTest formats a likelihood-ratio test.
func formatTest(t fitting.LikelihoodRatio) string {
	p := "= " + formatP(t.P)
	if formatP(t.P)[0] == '<' {
		p = "< " + formatP(t.P)[1:]
	}
	return fmt.Sprintf("χ²(%d) = %.2f, p %s", t.DegreesOfFreedom, t.Statistic, p)
}

// writeDerived writes what is derived from the estimates: willingness to pay, shares and the hold-out.
func (r *fitReport) writeDerived(w io.Writer) error {
	var text strings.Builder
	if len(r.WTP) > 0 {
		text.WriteString("\nWillingness to pay\n")
		if err := writeTable(&text, r.WTP); err != nil {
			return err
		}
	}
	for _, s := range r.Shares {
		text.WriteString("\nPredicted shares")
		if s.Scenario != "" {
			text.WriteString(" of scenario " + s.Scenario)
		}
		text.WriteString("\n")
		if err := writeTable(&text, s.Shares); err != nil {
			return err
		}
	}
	if h := r.Holdout; h != nil {
		fmt.Fprintf(&text, "\nHeld out: %d tasks", h.Tasks)
		if h.Respondents > 0 {
			fmt.Fprintf(&text, " of %d respondents", h.Respondents)
		}
		fmt.Fprintf(&text, ". Hit rate %.1f%% (%.1f%% by chance), log-likelihood %.4f, with equal shares %.4f.\n",
			100*h.HitRate, 100*h.ChanceRate, h.LogLikelihood, h.NullLogLikelihood)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeTable writes numbers with their errors and intervals.
func writeTable(w io.Writer, numbers []fitting.Derived) error {
	widest, smallest, largest := 0, math.Inf(1), 0.0
	for _, d := range numbers {
		widest = max(widest, utf8.RuneCountInString(d.Name))
		smallest, largest = min(smallest, d.SE), max(largest, d.SE, math.Abs(d.Value))
	}
	format := numberFormat(smallest, largest)
	var rows strings.Builder
	fmt.Fprintf(&rows, "%-*s\tEstimate\tStd. error\t2.5%%\t97.5%%\t\n", widest, "")
	for _, d := range numbers {
		fmt.Fprintf(&rows, "%-*s\t%s\t%s\t%s\t%s\t\n", widest, d.Name, format(d.Value), format(d.SE), format(d.Low), format(d.High))
	}
	return alignRight(w, rows.String())
}
