package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// fitReport is the JSON document of `bestpick fit`, and what its table shows.
type fitReport struct {
	Tasks                    int         `json:"tasks"`
	Alternatives             int         `json:"alternatives,omitempty"`
	Items                    int         `json:"items,omitempty"`
	Respondents              int         `json:"respondents,omitempty"`
	Parameters               []parameter `json:"parameters"`
	LogLikelihood            float64     `json:"log_likelihood"`
	LogLikelihoodEqualShares float64     `json:"log_likelihood_equal_shares"`
	Iterations               int         `json:"iterations"`
	GradientNorm             float64     `json:"gradient_norm"`
	Converged                bool        `json:"converged"`
	Seconds                  struct {
		Read float64 `json:"read"`
		Fit  float64 `json:"fit"`
	} `json:"seconds"`
}

// A parameter's z and p rest on the robust error where respondents are known, on
// the plain one otherwise. The robust error is nil where it takes more clusters.
type parameter struct {
	Name     string   `json:"name"`
	Estimate float64  `json:"estimate"`
	SE       float64  `json:"se"`
	RobustSE *float64 `json:"robust_se"`
	Z        float64  `json:"z"`
	P        float64  `json:"p"`
}

func newFitReport(data *fitData, estimate *choice.Estimate, robust *mat.SymDense) *fitReport {
	r := &fitReport{
		Tasks:                    data.tasks,
		Alternatives:             data.alternatives,
		Items:                    data.items,
		Respondents:              data.respondents,
		LogLikelihood:            estimate.LogLikelihood,
		LogLikelihoodEqualShares: estimate.LogLikelihoodEqualShares,
		Iterations:               estimate.Fit.Iterations,
		GradientNorm:             estimate.GradientNorm,
		Converged:                true,
	}
	plain := choice.StandardErrors(estimate.Covariance)
	for k, name := range estimate.Names {
		p := parameter{Name: name, Estimate: estimate.Theta[k], SE: plain[k]}
		p.Z = p.Estimate / p.SE
		if robust != nil {
			p.RobustSE = &choice.StandardErrors(robust)[k]
			if data.respondents > 0 {
				p.Z = p.Estimate / *p.RobustSE
			}
		}
		p.P = math.Erfc(math.Abs(p.Z) / math.Sqrt2)
		r.Parameters = append(r.Parameters, p)
	}
	if data.items > 0 {
		slices.SortStableFunc(r.Parameters, func(a, b parameter) int { return cmp.Compare(b.Estimate, a.Estimate) })
	}
	return r
}

func (r *fitReport) printJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

func (r *fitReport) printTable(w io.Writer) error {
	var text strings.Builder
	switch {
	case r.Items > 0:
		fmt.Fprintf(&text, "Bradley–Terry: %d votes between %d items (utilities sum to zero)", r.Tasks, r.Items)
	default:
		fmt.Fprintf(&text, "Conditional logit: %d tasks, %d alternatives", r.Tasks, r.Alternatives)
	}
	robust := "Robust s.e."
	if r.Respondents > 0 {
		robust = "Clustered s.e."
		fmt.Fprintf(&text, ", %d respondents", r.Respondents)
	}
	text.WriteString("\n\n")

	if err := r.writeParameters(&text, robust); err != nil {
		return err
	}

	free := len(r.Parameters)
	if r.Items > 0 {
		free--
	}
	fmt.Fprintf(&text, "\nLog-likelihood %.4f, with equal shares %.4f, McFadden's R² %.4f, AIC %.2f\n",
		r.LogLikelihood, r.LogLikelihoodEqualShares, 1-r.LogLikelihood/r.LogLikelihoodEqualShares, 2*float64(free)-2*r.LogLikelihood)
	fmt.Fprintf(&text, "Converged in %d iterations, gradient norm %.1e. Read in %.3f s, fitted in %.3f s.\n",
		r.Iterations, r.GradientNorm, r.Seconds.Read, r.Seconds.Fit)
	_, err := io.WriteString(w, text.String())
	return err
}

// writeParameters writes the table itself.
func (r *fitReport) writeParameters(w io.Writer, robust string) error {
	widest := 0
	for _, p := range r.Parameters {
		widest = max(widest, utf8.RuneCountInString(p.Name))
	}
	decimals := r.decimals()
	var rows strings.Builder
	fmt.Fprintf(&rows, "%-*s\tEstimate\tStd. error\t%s\tz\tPr(>|z|)\t\n", widest, "", robust)
	for _, p := range r.Parameters {
		sandwich := "–"
		if p.RobustSE != nil {
			sandwich = fmt.Sprintf("%.*f", decimals, *p.RobustSE)
		}
		fmt.Fprintf(&rows, "%-*s\t%.*f\t%.*f\t%s\t%.2f\t%s\t\n", widest, p.Name,
			decimals, p.Estimate, decimals, p.SE, sandwich, p.Z, formatP(p.P))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := io.WriteString(table, rows.String()); err != nil {
		return err
	}
	return table.Flush()
}

// decimals returns how many decimals show the smallest error to four digits.
func (r *fitReport) decimals() int {
	smallest := math.Inf(1)
	for _, p := range r.Parameters {
		smallest = min(smallest, p.SE)
	}
	return min(max(3-int(math.Floor(math.Log10(smallest))), 3), 12)
}

// formatP writes a p-value as R does.
func formatP(p float64) string {
	if p < 2e-16 {
		return "<2e-16"
	}
	return strconv.FormatFloat(p, 'g', 3, 64)
}
