package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"bestpick/internal/fitting"
)

// writeStatistics writes how well the model fits.
func writeStatistics(text *strings.Builder, s *fitting.Statistics) {
	fmt.Fprintf(text, "BIC %.2f, adjusted R² %.4f, likelihood-ratio test against equal shares: %s\n", s.BIC, s.AdjustedRho, formatTest(s.EqualShares))
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
