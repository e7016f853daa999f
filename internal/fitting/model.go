package fitting

import (
	"slices"

	"bestpick/checks"
)

// A Model says whether choices fit the model.
type Model struct {
	checks.Finding

	SameSlot []string `json:"same_slot,omitempty"` // straight-lining respondents
	Clicking []string `json:"clicking,omitempty"`  // respondents whose picks look random
}

// looksRandom is the evidence at which a respondent's picks count as random: 20 to 1.
const looksRandom = 3.0

// Check checks whether choices in long form fit the model, in the order of the file, and looks for unusual
// respondents. It needs the answers of [recorded.LongForm].
func (d *Data) Check() (*Model, error) {
	study, err := checks.NewStudy(d.choices.Answers.Catalogue)
	if err != nil {
		return nil, err
	}
	roster := checks.NewRoster()
	var names []string
	for _, answer := range d.choices.Answers.Answers {
		if err := study.Tell(answer); err != nil {
			return nil, err
		}
		roster.Tell(checks.Response{Answer: answer})
		names = append(names, answer.Respondent)
	}
	report := &Model{Finding: study.Look()}
	for _, out := range roster.Excluded(checks.Rules{}) {
		report.SameSlot = append(report.SameSlot, out.Respondent)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if study.Clicking(name) >= looksRandom {
			report.Clicking = append(report.Clicking, name)
		}
	}
	return report, nil
}
