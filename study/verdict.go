package study

import (
	"encoding/json"

	"bestpick/checks"
	"bestpick/strategy"
)

// A Verdict is what a study knows, as of its last plan.
type Verdict struct {
	Status     string              `json:"status"` // asking, decided or certified
	Leader     int                 `json:"leader"`
	Contenders []strategy.Standing `json:"contenders"`       // besides the leader, by their lead
	Others     int                 `json:"others,omitempty"` // as well, where there are too many to list
	Forecast   strategy.Forecast   `json:"forecast"`
	Verifying  []int               `json:"verifying,omitempty"`
	Answered   int                 `json:"answered"`
	Model      checks.Finding      `json:"model"`
}

// newVerdict is what a strategy knows.
func newVerdict(v strategy.Verdict) Verdict {
	return Verdict{
		Status: v.Status.String(), Leader: v.Leader, Contenders: v.Standings, Others: v.Others, Forecast: v.Forecast,
		Verifying: v.Verifying, Answered: v.Answered, Model: v.Model,
	}
}

// verdictOf writes that down.
func verdictOf(v strategy.Verdict) json.RawMessage {
	text, err := json.Marshal(newVerdict(v))
	if err != nil {
		panic("study: " + err.Error())
	}
	return text
}
