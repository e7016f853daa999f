package setup

import (
	"cmp"

	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/prospects"
)

// An estimateView has the answers and respondents that a study needs, as the form is set and with
// other settings.
type estimateView struct {
	Low, High, People, Each string
	Rows                    []estimateRow
	Cheapest                string // the setting that needs the fewest answers; empty if that is the chosen one
	Recommended             string // questions per respondent
}

// An estimateRow is a setting with what it takes.
type estimateRow struct {
	Setting, Low, High, People string
	Chosen                     bool
}

// questionnaire returns the settings of a study with those of the form, except for invalid fields.
func (f *studyForm) questionnaire(w statement.Words, s study.Settings, b basis) prospects.Questionnaire {
	unmarked := *f
	unmarked.Problems = map[string]string{}
	s = unmarked.settings(w, s, b)
	return prospects.Questionnaire{Settings: s.Strategy, Picks: s.Picks, Each: cmp.Or(s.Each, unlimitedEach)}
}

// unlimitedEach is the number of questions per respondent that is assumed if they are not limited.
const unlimitedEach = 20

// estimateOf returns the view of a comparison.
func estimateOf(w statement.Words, c prospects.Comparison) estimateView {
	chosen := c.Chosen.Expected.Rounded()
	v := estimateView{
		Low: w.Number(chosen.Low, 0), High: w.Number(chosen.High, 0), People: w.Number(chosen.People, 0),
		Each: w.Count(c.Chosen.Each), Recommended: w.Count(c.Each), Rows: []estimateRow{estimateRowOf(w, c.Chosen)},
	}
	for _, other := range c.Others {
		v.Rows = append(v.Rows, estimateRowOf(w, other))
	}
	if c.Cheapest.Changed != "" {
		v.Cheapest = settingText(w, c.Cheapest)
	}
	return v
}

func estimateRowOf(w statement.Words, a prospects.Alternative) estimateRow {
	e := a.Expected.Rounded()
	return estimateRow{Setting: settingText(w, a), Low: w.Number(e.Low, 0), High: w.Number(e.High, 0), People: w.Number(e.People, 0), Chosen: a.Changed == ""}
}

// settingText returns the changed setting of an alternative in words.
func settingText(w statement.Words, a prospects.Alternative) string {
	switch a.Changed {
	case prospects.Tolerance:
		if a.Settings.Epsilon == 0 {
			return w.Must("estimate.best")
		}
		people := statement.People(a.Settings.Epsilon)
		return w.Must("estimate.epsilon", "points", people-statement.Half, "people", people)
	case prospects.Size:
		return w.Must("estimate.k", "count", a.Settings.K)
	case prospects.Ranking:
		if a.Picks == 1 {
			return w.Must("estimate.pick")
		}
		return w.Must("estimate.picks", "count", a.Picks)
	case prospects.Assumption:
		if a.Settings.Assume == strategy.Majority {
			return w.Must("estimate.majority")
		}
		return w.Must("estimate.linear")
	case prospects.PerPerson:
		if a.Each == 1 {
			return w.Must("estimate.each-one")
		}
		return w.Must("estimate.each", "count", a.Each)
	}
	return w.Must("estimate.chosen")
}
