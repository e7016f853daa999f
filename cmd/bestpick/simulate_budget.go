package main

import (
	"fmt"
	"strings"

	"bestpick/internal/statement"
	"bestpick/simulate"
)

// A budgetReport has the smallest ε that runs certify when the budget is spent.
type budgetReport struct {
	simulate.Spread

	Stated int `json:"stated"` // runs that state it
	Holds  int `json:"holds"`  // of these, runs in which no arm is better by more than that
	People int `json:"people"` // of 100 that would choose another arm, at most, at the mean

	answers int
}

func newBudgetReport(s simulate.Summary, answers int) *budgetReport {
	b := &budgetReport{Spread: s.CertifiedEpsilon, Stated: s.Stated, Holds: s.Holds, answers: answers}
	if b.Stated > 0 {
		b.People = statement.People(b.Mean)
	}
	return b
}

// print prints the smallest certified ε, if there is a budget.
func (b *budgetReport) print(text *strings.Builder, runs int) {
	switch {
	case b == nil:
	case b.Stated == 0:
		fmt.Fprintf(text, "budget     %d answers; no run states a certified ε\n", b.answers)
	default:
		fmt.Fprintf(text, "budget     %d answers; certified ε %.3f ± %.3f (from %.3f to %.3f) in %d of %d runs, and it holds in %d: at most %d of 100 people would choose another arm\n",
			b.answers, b.Mean, b.SE, b.Min, b.Max, b.Stated, runs, b.Holds, b.People)
	}
}
