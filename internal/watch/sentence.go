package watch

import (
	"bestpick/internal/terminal"
	"bestpick/internal/web"
	"bestpick/wire"
)

// Sentence returns a verdict in words, as on the page of the study.
func Sentence(v wire.Verdict) string {
	facts := web.Facts{
		State: v.State, Reason: v.Reason, Status: v.Status, Answers: v.Answers, More: v.Others, Delta: v.Delta, Epsilon: v.Epsilon,
		Known: v.Forecast.Known, Low: v.Forecast.Low, High: v.Forecast.High, Hopeless: v.Forecast.Hopeless,
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
	return web.Sentence(facts)
}
