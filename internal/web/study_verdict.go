package web

import (
	"math"
	"strings"

	"bestpick/checks"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
)

// longestShown is how much is shown of the name of an arm where there is little room, in characters.
const longestShown = 80

// armName is what people call an arm: its label, or its id, or the levels of a profile.
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

// names returns what makes the name of an arm.
func (v studyView) names() func(arm int) string {
	return func(arm int) string { return armName(v.arms, v.card(arm)) }
}

// Facts are what the headline says.
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
	name := v.names()
	if verdict.Leader >= 0 {
		f.Leader = name(verdict.Leader)
	}
	for _, c := range verdict.Contenders {
		if len(f.Others) == mostNamed {
			break
		}
		f.Others = append(f.Others, name(c.Arm))
	}
	f.More += len(verdict.Contenders) - len(f.Others)
	return f
}

// Sentence is the headline.
func (v studyView) Sentence() (string, error) { return v.Headline(v.Facts()) }

// News changes when there is something to read out: not with every answer.
func (v studyView) News() string {
	return strings.Join([]string{string(v.Study.State), string(v.Study.Reason), v.Verdict.Status, v.Facts().Leader, v.Count(v.Possible())}, "|")
}

// Mood is the colour of the headline.
func (v studyView) Mood() string {
	switch {
	case v.Verdict.Status == string(study.Certified):
		return "good"
	case v.Study.Reason == study.Refuted:
		return "bad"
	case v.Study.State == study.Done || v.Verdict.Model.Status != checks.Fits:
		return "warn"
	}
	return "calm"
}

// Begun reports whether there is anything to draw.
func (v studyView) Begun() bool { return v.Plan > 0 && v.Verdict.Answered > 0 }

// Possible is how many arms may be best, the leader among them; all before anything is known.
func (v studyView) Possible() int {
	if v.Verdict.Leader < 0 {
		return v.Present()
	}
	return 1 + len(v.Verdict.Contenders) + v.Verdict.Others
}

// Present is how many arms are asked about.
func (v studyView) Present() int { return v.Study.Arms - len(v.Study.Withdrawn) }

// Evidence is the least there is against an arm besides the leader.
func (v studyView) Evidence() float64 {
	if v.Plan == 0 {
		return 0
	}
	return v.Verdict.Evidence(v.Study.Settings.Strategy.Delta)
}

// Threshold is the evidence that refutes an arm.
func (v studyView) Threshold() float64 { return math.Log(1 / v.Study.Settings.Strategy.Delta) }

// Share is the evidence as a share of that, from 0 to 1.
func (v studyView) Share() float64 { return min(1, max(0, v.Evidence()/v.Threshold())) }

// Doubt is what speaks against the model: a check by its name, or nothing.
func (v studyView) Doubt() string {
	if v.Verdict.Model.Status == checks.Fits || v.Verdict.Model.Sentence == "" {
		return ""
	}
	return v.Verdict.Model.Check.String()
}

// Odds returns n if a verdict is wrong at most once in n studies.
func (v studyView) Odds() string { return v.Short(1 / v.Study.Settings.Strategy.Delta) }

// Extras are what the model takes into account besides the attributes.
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

// Drawn reports whether the pictures are ready, as of a plan that knows answers.
func (v studyView) Drawn() bool {
	return v.overview != nil && len(v.overview.Course) > 0 && v.overview.Course[len(v.overview.Course)-1].Answers > 0
}

// Paper reports whether the page is to be printed.
func (v studyView) Paper() bool { return v.report }
