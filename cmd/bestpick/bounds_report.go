package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"bestpick/theory"
)

// boundsReport is the JSON document of `bestpick bounds`, and the content of its text. A number is null if it is
// infinite or undefined; Reason says why.
type boundsReport struct {
	upperBounds

	Best    string  `json:"best"`
	Gap     float64 `json:"gap"`
	Kappa   float64 `json:"kappa"` // the true κ
	AtKappa struct {
		upperBounds

		Kappa float64 `json:"kappa"`
	} `json:"at_kappa"`

	LowerTheorem      *float64 `json:"lower_theorem"`
	LowerTheoremSharp *float64 `json:"lower_theorem_sharp"` // with the divergences themselves
	Reason            string   `json:"reason,omitempty"`

	CharacteristicTime        *float64 `json:"characteristic_time"`         // a lower bound on T*
	CharacteristicTimeReached *float64 `json:"characteristic_time_reached"` // an upper bound, by the mix
	CharacteristicGap         *float64 `json:"characteristic_gap"`          // between the two, relative
	Quadratic                 *float64 `json:"characteristic_time_quadratic"`
	CharacteristicReason      string   `json:"characteristic_reason,omitempty"`
	LowerBound                *float64 `json:"lower_bound"`    // T*·log(1/2.4δ)
	LowerBoundKL              *float64 `json:"lower_bound_kl"` // T*·kl(δ, 1−δ), which is larger
	MeasuredRatio             *float64 `json:"measured_ratio,omitempty"`
	MeasuredRatioKL           *float64 `json:"measured_ratio_kl,omitempty"`

	Mix        []mixedQuestion `json:"mix,omitempty"`
	Contenders []contender     `json:"contenders,omitempty"`

	title string
}

// upperBounds are the bounds of the theorems for one κ.
type upperBounds struct {
	Static   *float64 `json:"upper_static"`
	StaticG  *float64 `json:"upper_static_g"`
	Adaptive *float64 `json:"upper_adaptive"`
}

// mixedQuestion is a question of the best mix.
type mixedQuestion struct {
	Question []string `json:"question"`
	Share    float64  `json:"share"`
}

// contender is an arm that is hard to tell from the best.
type contender struct {
	Arm    string  `json:"arm"`
	Weight float64 `json:"weight"`
}

// number returns nil for values that JSON cannot represent.
func number(x float64) *float64 {
	if x-x != 0 {
		return nil
	}
	return &x
}

func (r *boundsReport) setCharacteristic(p theory.Problem, exact theory.Characteristic) {
	r.CharacteristicTime, r.CharacteristicTimeReached = number(exact.Time), number(exact.Reached)
	r.CharacteristicGap = number(exact.Gap())
	r.LowerBound, r.LowerBoundKL = number(exact.Time*p.LogError()), number(exact.Time*p.BinaryDivergence())
	for _, s := range exact.Mix {
		ids := make([]string, len(s.Question))
		for slot, arm := range s.Question {
			ids[slot] = p.Catalogue.ID(arm)
		}
		r.Mix = append(r.Mix, mixedQuestion{ids, s.Share})
	}
	for _, c := range exact.Contenders {
		r.Contenders = append(r.Contenders, contender{p.Catalogue.ID(c.Arm), c.Weight})
	}
}

func (r *boundsReport) printText(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: best arm %s, gap %.4g\n\n", r.title, r.Best, r.Gap)
	fmt.Fprintf(&text, "At most, with probability 1 − δ (the paper's theorems)\n")
	fmt.Fprintf(&text, "  %-34s %16s %16s\n", "", fmt.Sprintf("true κ = %.3g", r.Kappa), fmt.Sprintf("κ = %.3g", r.AtKappa.Kappa))
	for _, row := range []struct {
		name  string
		first *float64
		then  *float64
	}{
		{"static (XY)", r.Static, r.AtKappa.Static},
		{"static (G)", r.StaticG, r.AtKappa.StaticG},
		{"adaptive", r.Adaptive, r.AtKappa.Adaptive},
	} {
		fmt.Fprintf(&text, "  %-34s %16s %16s\n", row.name, questions(row.first), questions(row.then))
	}
	if r.AtKappa.Kappa > r.Kappa {
		fmt.Fprintf(&text, "  The theorems need a κ no larger than the true one: the second column is no promise.\n")
	}
	if r.StaticG != nil {
		fmt.Fprintf(&text, "  Both columns have the paper's constants, which rest on an estimate that does not always hold (docs/bounds.md).\n")
	}
	fmt.Fprintf(&text, "\nAt least, on average, to err with probability at most δ whatever θ is, with questions of K different arms\n")
	if r.LowerTheorem != nil {
		fmt.Fprintf(&text, "  %-34s %16s\n", "the paper's theorem", questions(r.LowerTheorem))
		fmt.Fprintf(&text, "  %-34s %16s\n", "its proof, divergences not estimated", questions(r.LowerTheoremSharp))
	} else {
		fmt.Fprintf(&text, "  the paper's theorem: none, because %s\n", r.Reason)
	}
	if r.CharacteristicTime != nil {
		printCharacteristicBound(&text, "T*·log(1/2.4δ)", r.LowerBound, r.MeasuredRatio)
		printCharacteristicBound(&text, "T*·kl(δ, 1−δ)", r.LowerBoundKL, r.MeasuredRatioKL)
		fmt.Fprintf(&text, "\nCharacteristic time T* between %.6g and %.6g, a gap of %.2g %%",
			*r.CharacteristicTime, *r.CharacteristicTimeReached, 100**r.CharacteristicGap)
		if r.Quadratic != nil {
			fmt.Fprintf(&text, " (quadratic form: %.6g)", *r.Quadratic)
		}
		text.WriteString("\n")
		r.printMix(&text)
	} else {
		fmt.Fprintf(&text, "  T*·log(1/2.4δ): none, because %s\n", r.CharacteristicReason)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// printCharacteristicBound prints a lower bound and, if there is a measured mean, its ratio to the bound.
func printCharacteristicBound(text *strings.Builder, name string, bound, ratio *float64) {
	fmt.Fprintf(text, "  %-34s %16s", name, questions(bound))
	if ratio != nil {
		fmt.Fprintf(text, "   measured: %.2f times that", *ratio)
	}
	text.WriteString("\n")
}

// printMix lists the questions to ask most and the arms that make it hard.
func (r *boundsReport) printMix(text *strings.Builder) {
	const most = 8
	fmt.Fprintf(text, "  hardest to tell from %s:", r.Best)
	for at, c := range r.Contenders {
		if at == most {
			break
		}
		fmt.Fprintf(text, " %s %.3f", c.Arm, c.Weight)
	}
	fmt.Fprintf(text, "\n  best mix of questions:  ")
	for at, q := range r.Mix {
		if at == most || q.Share < 0.001 {
			fmt.Fprintf(text, " and %d more", len(r.Mix)-at)
			break
		}
		fmt.Fprintf(text, " {%s} %.3f", strings.Join(q.Question, " "), q.Share)
	}
	text.WriteString("\n")
}

// questions writes a number of questions.
func questions(x *float64) string {
	switch {
	case x == nil:
		return "no bound"
	case *x >= 1e9:
		return fmt.Sprintf("%.3g", *x)
	default:
		return fmt.Sprintf("%.0f", math.Ceil(*x))
	}
}
