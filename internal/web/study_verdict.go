package web

import (
	"cmp"
	"math"
	"strings"

	"bestpick/checks"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// longestShown is the maximum length of an arm's name where there is little space, in characters.
const longestShown = 80

// armName returns the display name of an arm: its label, or its ID, or the levels of a profile.
func armName(arms *archive.Catalogue, card archive.Card) string {
	name := card.Label
	if name == "" && arms.Profiles == nil {
		name = card.ID
	}
	if name == "" {
		var levels []string
		for _, a := range card.Attributes {
			levels = append(levels, a.Value)
		}
		name = strings.Join(levels, ", ")
	}
	if runes := []rune(name); len(runes) > longestShown {
		return string(runes[:longestShown-1]) + "…"
	}
	return name
}

// names returns a function that returns display names of arms.
func (v studyView) names() func(arm int) string {
	return func(arm int) string { return armName(v.arms, v.card(arm)) }
}

// Facts returns the facts of the headline.
func (v studyView) Facts() Facts {
	s, verdict, forecast := v.Study, v.Verdict, v.Verdict.Forecast.Shown(v.Verdict.Answered)
	f := Facts{
		State: string(s.State), Reason: string(s.Reason), Status: verdict.Status, Answers: verdict.Answered,
		Delta: s.Settings.Strategy.Delta, Epsilon: s.Settings.Strategy.Epsilon, More: verdict.Others,
		Known: forecast.Known, Low: forecast.Low, High: forecast.High, Hopeless: forecast.Hopeless,
	}
	if v.Uncounted > 0 {
		f.Counted, f.Total = v.Counted(), v.Counted()+v.Uncounted
	}
	f.Assumption, f.FellBack = v.Assumption(), v.fellBack()
	f.Extended = len(v.Extras()) > 0
	f.People, f.Answering = verdict.Respondents, verdict.Answering
	name := v.names()
	if verdict.Leader >= 0 {
		f.Leader = name(verdict.Leader)
	}
	f.Ranking = s.Settings.Strategy.Top == racing.TopAll
	for _, arm := range verdict.Top {
		f.Top = append(f.Top, name(arm))
	}
	for _, arm := range verdict.Cycle {
		f.Cycle = append(f.Cycle, name(arm))
	}
	for _, c := range verdict.Contenders {
		if len(f.Others) < mostNamed {
			f.Others = append(f.Others, name(c.Arm))
		}
		if len(f.Tied) < mostNamed && isTie(c) {
			f.Tied = append(f.Tied, name(c.Arm))
		}
	}
	f.More += len(verdict.Contenders) - len(f.Others)
	return f
}

// isTie reports whether about as many people choose a contender as the leader, and enough people have
// compared the two to say so.
func isTie(c strategy.Standing) bool {
	const people, points = 30, 0.05
	return c.Compared >= people && math.Abs(c.Chosen-0.5) <= points
}

// Assumption returns what the verdict rests on, or will rest on.
func (v studyView) Assumption() strategy.Assumption {
	return cmp.Or(v.Verdict.Assumption, assumption(v.Study.Settings.Strategy))
}

// ByMajority reports whether the verdict rests on what the majority chooses.
func (v studyView) ByMajority() bool { return v.Assumption() == strategy.Majority }

// fellBack reports whether the answers refuted the model of a linear study, which then continues under
// majority.
func (v studyView) fellBack() bool {
	return v.ByMajority() && v.Study.Settings.Strategy.Assume != strategy.Majority && v.Verdict.Model.Status == checks.Refuted
}

// CountsPeople reports whether the study counts people who have finished.
func (v studyView) CountsPeople() bool {
	return v.ByMajority() || v.Study.Settings.Strategy.Fallback > 0
}

// Counts returns how many people are counted, as a sentence.
func (v studyView) Counts() (string, error) { return v.Basis(v.Facts()) }

// People returns of how many in 100 people at most choose another arm over the certified one.
func (v studyView) People() int { return statement.People(v.Study.Settings.Strategy.Epsilon) }

// Unexplained returns a warning about arms that the model does not explain, if the verdict rests on it.
func (v studyView) Unexplained() string {
	misfits := v.Verdict.Misfits
	switch {
	case v.ByMajority() || len(misfits) == 0:
		return ""
	case len(misfits) > mostNamed:
		return v.must("misfit.many", "count", v.Count(len(misfits)))
	}
	name := v.names()
	var options []string
	for _, m := range misfits {
		options = append(options, v.quote(name(m.Arm)))
	}
	return v.must("misfit.named", "options", v.list(options))
}

// Sentence returns the headline.
func (v studyView) Sentence() (string, error) { return v.Headline(v.Facts()) }

// Caveat returns the assumption about people that the verdict rests on, if it has to be stated.
func (v studyView) Caveat() string { return v.words.Caveat(v.Facts()) }

// News returns a text that changes when screen readers should read the headline aloud, which is not
// after every answer.
func (v studyView) News() string {
	return strings.Join([]string{string(v.Study.State), string(v.Study.Reason), v.Verdict.Status, v.Facts().Leader, v.Count(v.Possible())}, "|")
}

// Mood returns the colour of the headline.
func (v studyView) Mood() string {
	switch {
	case v.Verdict.Status == string(study.Certified):
		return "good"
	case v.Study.Reason == study.Refuted:
		return "bad"
	case v.Study.State == study.Done || len(v.Verdict.Cycle) > 0 || !v.ByMajority() && v.Verdict.Model.Status != checks.Fits:
		return "warn"
	}
	return "calm"
}

// Begun reports whether there is data for charts.
func (v studyView) Begun() bool { return v.Plan > 0 && v.Verdict.Answered > 0 }

// Possible returns the number of arms that may be best, including the leader. Before the first plan
// these are all arms.
func (v studyView) Possible() int {
	if v.Verdict.Leader < 0 {
		return v.Present()
	}
	return 1 + len(v.Verdict.Contenders) + v.Verdict.Others
}

// Present returns the number of arms that are not withdrawn.
func (v studyView) Present() int { return v.Study.Arms - len(v.Study.Withdrawn) }

// Elimination counts the eliminated arms.
func (v studyView) Elimination() strategy.Elimination { return v.Progress.Elimination(v.arms.Arms) }

// Needed formats evidence as a share of the evidence that eliminates an arm.
func (v studyView) Needed(evidence float64) string {
	return v.Percent(min(1, max(0, evidence/math.Log(1/v.Study.Settings.Strategy.Delta))))
}

// Doubt returns the name of the model check that fails, or an empty string if the verdict does not rest on
// the model.
func (v studyView) Doubt() string {
	if v.ByMajority() || v.Verdict.Model.Status == checks.Fits || v.Verdict.Model.Sentence == "" {
		return ""
	}
	return v.Verdict.Model.Check.String()
}

// Odds returns n if a verdict is wrong at most once in n studies.
func (v studyView) Odds() string { return v.Short(1 / v.Study.Settings.Strategy.Delta) }

// Extras returns the parts of the model besides attributes.
func (v studyView) Extras() (extras []string) {
	m := v.Study.Settings.Strategy.Model
	for _, extra := range []struct {
		name string
		has  bool
	}{{"slots", m.Slots}, {"intercepts", m.Intercepts}, {"clicks", m.Clicks}, {"segments", len(m.Segments) > 0}} {
		if extra.has {
			extras = append(extras, extra.name)
		}
	}
	return extras
}

// Drawn reports whether charts are available, and based on answers.
func (v studyView) Drawn() bool {
	return v.overview != nil && len(v.overview.Course) > 0 && v.overview.Course[len(v.overview.Course)-1].Answers > 0
}

// Paper reports whether the page is for printing.
func (v studyView) Paper() bool { return v.report }
