package main

import (
	"fmt"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/table"
	"bestpick/strategy"
	"bestpick/strategy/prospects"
)

// estimateFlags are the settings of the study that an estimate is for.
type estimateFlags struct {
	K       int                 `default:"3" min:"2" help:"Arms in a question, for the estimate of answers."`
	Picks   int                 `default:"1" min:"1" help:"Arms ranked in an answer, for the estimate."`
	Each    int                 `default:"20" min:"1" help:"Questions per respondent, for the estimate of respondents."`
	Delta   float64             `default:"0.05" above:"0" below:"1" help:"Probability of error, for the estimate."`
	Epsilon float64             `default:"0.2" min:"0" max:"50" help:"Largest lead in utility of any arm over the result, for the estimate."`
	Assume  strategy.Assumption `default:"linear" enum:"linear,majority" help:"What the result rests on, for the estimate: linear or majority."`
	Fakes   int                 `default:"0" min:"0" max:"50" help:"People who may be fake without making a result by majority wrong, for the estimate."`
}

// An estimateReport has the answers that a study needs, with these settings and with others.
type estimateReport struct {
	Answers      prospects.Expectation `json:"answers"`
	Alternatives []alternativeReport   `json:"alternatives"`
	Cheapest     alternativeReport     `json:"cheapest"`
	Recommended  int                   `json:"recommended_each"`

	each int
}

// An alternativeReport has the settings of an estimate.
type alternativeReport struct {
	K       int                   `json:"k"`
	Picks   int                   `json:"picks"`
	Each    int                   `json:"each"`
	Epsilon float64               `json:"epsilon"`
	Assume  strategy.Assumption   `json:"assume"`
	Fakes   int                   `json:"fakes"`
	Answers prospects.Expectation `json:"answers"`

	changed string // the flag
}

func newEstimateReport(c prospects.Comparison) estimateReport {
	r := estimateReport{
		Answers: c.Chosen.Expected.Rounded(), Alternatives: []alternativeReport{}, Cheapest: newAlternativeReport(c.Cheapest),
		Recommended: c.Each, each: c.Chosen.Each,
	}
	for _, a := range c.Others {
		r.Alternatives = append(r.Alternatives, newAlternativeReport(a))
	}
	return r
}

func newAlternativeReport(a prospects.Alternative) alternativeReport {
	r := alternativeReport{
		K: a.Settings.K, Picks: a.Picks, Each: a.Each, Epsilon: a.Settings.Epsilon, Assume: a.Settings.Assume, Fakes: a.Settings.Fakes,
		Answers: a.Expected.Rounded(),
	}
	values := map[prospects.Setting]any{
		prospects.Tolerance: r.Epsilon, prospects.Size: r.K, prospects.Ranking: r.Picks, prospects.Assumption: r.Assume, prospects.PerPerson: r.Each,
		prospects.Fakes: r.Fakes,
	}
	if a.Changed != "" {
		r.changed = fmt.Sprintf("--%s %v", a.Changed, values[a.Changed])
	}
	return r
}

// print adds the estimate, a table of alternatives, and what is recommended.
func (r *estimateReport) print(text *command.Text) {
	text.Row("answers", "usually %s; close races take more", usually(r.Answers))
	text.Row("people", "about %s with %d questions each\n", grouped(r.Answers.People), r.each)
	rows := []string{"with\tmedian\tusually\tpeople"}
	for _, a := range append([]alternativeReport{{changed: "(as set)", Answers: r.Answers}}, r.Alternatives...) {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s", a.changed, grouped(a.Answers.Median), usually(a.Answers),
			grouped(a.Answers.People)))
	}
	text.Columns(0, rows)
	if r.Cheapest.changed != "" {
		text.Printf("\nFewest answers with the same guarantee: %s.", r.Cheapest.changed)
	}
	text.Printf("\nRecommended: --each %d.\n", r.Recommended)
}

func usually(e prospects.Expectation) string { return grouped(e.Low) + " to " + grouped(e.High) }

func grouped(x float64) string { return table.Grouped(int(x)) }
