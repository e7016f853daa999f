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

	// Settings and Catalogue are digests of the study's terms and of its arms at the time of the plan.
	// Studies begun before version 2 of exports have neither.
	Settings  string `json:"settings,omitempty"`
	Catalogue string `json:"catalogue,omitempty"`

	// Digest is the hash chain over everything that led to the verdict: settings, arms, outcomes and
	// plans. In studies begun before version 2 of exports it covers the outcomes only.
	Digest string `json:"digest"`
}

// listed is how many contenders a verdict in the log lists.
const listed = 100

// noVerdict is what is known before the first plan.
func noVerdict() Verdict { return Verdict{Status: strategy.Asking.String(), Leader: -1} }

// verdict is what is known after the outcomes told so far.
func (r *runner) verdict() Verdict {
	if r.strategy == nil {
		return noVerdict()
	}
	v := r.strategy.Verdict()
	contenders := v.Standings[:min(listed, len(v.Standings))]
	return Verdict{
		Status: v.Status.String(), Leader: v.Leader, Contenders: contenders, Others: v.Others + len(v.Standings) - len(contenders), Forecast: v.Forecast,
		Verifying: v.Verifying, Answered: v.Answered, Model: v.Model, Settings: r.state.Settings, Catalogue: r.state.Catalogue, Digest: r.state.Digest,
	}
}

// Text is the verdict as it is in the log.
func (v Verdict) Text() string { return string(v.written()) }

// written is the verdict as it goes to the log.
func (v Verdict) written() json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic("study: " + err.Error())
	}
	return text
}

// Arms returns those that the verdict names: the leader, −1 where there is none, and the contenders.
func (v Verdict) Arms() []int {
	arms := []int{v.Leader}
	for _, c := range v.Contenders {
		arms = append(arms, c.Arm)
	}
	return arms
}
