package watch

import (
	"fmt"

	"bestpick/internal/terminal"
	"bestpick/internal/web"
	"bestpick/strategy"
	"bestpick/wire"
)

// Sentence returns a verdict in words, as on the page of the study.
func Sentence(v wire.Verdict) string {
	facts := web.Facts{
		State: v.State, Reason: v.Reason, Status: v.Status, Answers: v.Answers, More: v.Others, Delta: v.Delta, Epsilon: v.Epsilon,
		Assumption: strategy.Assumption(v.Assumption), Known: v.Forecast.Known, Low: v.Forecast.Low, High: v.Forecast.High, Hopeless: v.Forecast.Hopeless,
	}
	if v.Counting != nil {
		facts.Counted, facts.Total = v.Counting.Counted, v.Counting.Total
	}
	if v.Leader != nil {
		facts.Leader = terminal.Name(v.Leader.Label, v.Leader.ID)
	}
	for _, c := range v.Contenders {
		facts.Others = append(facts.Others, terminal.Name(c.Arm.Label, c.Arm.ID))
	}
	facts.Ranking = len(v.Top) == v.Rivals+v.Eliminated+1
	for _, arm := range v.Top {
		facts.Top = append(facts.Top, terminal.Name(arm.Label, arm.ID))
	}
	for _, arm := range v.Cycle {
		facts.Cycle = append(facts.Cycle, terminal.Name(arm.Label, arm.ID))
	}
	return web.Sentence(facts)
}

// Misfits returns a sentence about each option that the model does not explain.
func Misfits(v wire.Verdict) (sentences []string) {
	for _, m := range v.Misfits {
		sentences = append(sentences, fmt.Sprintf("%s was picked %.0f times, but the model predicts %.0f.", terminal.Name(m.Arm.Label, m.Arm.ID), m.Picked, m.Expected))
	}
	return sentences
}
