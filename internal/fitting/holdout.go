package fitting

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/internal/recorded"
)

// A Holdout says how well a model predicts tasks that it was not fitted to.
type Holdout struct {
	Tasks             int     `json:"tasks"`
	Respondents       int     `json:"respondents,omitempty"`
	HitRate           float64 `json:"hit_rate"`        // share of the picks with the highest predicted share
	ChanceRate        float64 `json:"hit_rate_chance"` // of a random guess
	LogLikelihood     float64 `json:"log_likelihood"`
	NullLogLikelihood float64 `json:"log_likelihood_equal_shares"`
}

// HeldOut are tasks that a model is not fitted to.
type HeldOut struct {
	records     *choice.Records
	respondents int
}

// Split holds out a share of the respondents, drawn with the seed, or of the tasks if there are no
// respondents. It returns the data without them.
func (d *Data) Split(share float64, seed uint64) (*Data, *HeldOut, error) {
	units := d.tasks
	if d.respondents > 0 {
		units = d.respondents
	}
	count := int(math.Round(share * float64(units)))
	if count < 1 || count >= units {
		return nil, nil, fmt.Errorf("--holdout %v leaves %d of %d to one side; both need one", share, min(count, units-count), units)
	}
	held := make([]bool, units)
	for _, unit := range rand.New(rand.NewPCG(seed, 0)).Perm(units)[:count] {
		held[unit] = true
	}
	var fitted, unfitted, respondents []int
	for task := range d.tasks {
		unit := task
		if d.respondents > 0 {
			unit = d.choices.Respondents[task]
		}
		if held[unit] {
			unfitted = append(unfitted, task)
			continue
		}
		fitted = append(fitted, task)
		respondents = append(respondents, unit)
	}
	rest := &recorded.Choices{
		Records: d.choices.Records.Select(fitted), Tasks: len(fitted), Coding: d.choices.Coding, Hints: d.choices.Hints,
		Answers: d.choices.Answers,
	}
	rest.Rows = rest.Records.Alternatives()
	out := &HeldOut{records: d.choices.Records.Select(unfitted)}
	if d.respondents > 0 {
		rest.Respondents, rest.RespondentCount = respondents, units-count
		out.respondents = count
	}
	return ofChoices(rest, d.form), out, nil
}

// Predict returns how well a result predicts the tasks held out.
func (h *HeldOut) Predict(r *Result) *Holdout {
	theta := r.estimate.Theta
	return &Holdout{
		Tasks: h.records.Tasks(), Respondents: h.respondents,
		HitRate: h.records.HitRate(theta), ChanceRate: h.records.HitRate(make([]float64, len(theta))),
		LogLikelihood: h.records.LogLikelihood(theta), NullLogLikelihood: h.records.NullLogLikelihood(),
	}
}
