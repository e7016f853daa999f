package results

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"bestpick/checks"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
	"bestpick/internal/web/page"
	"bestpick/strategy"
)

// certified is the status of a certified verdict.
const certified = string(study.Certified)

// A View is the data of a study's page.
type View struct {
	page.OwnerView
	overview.Progress

	Chosen   string // the language in the link
	Did      string // the message key of the last action
	arms     *archive.Catalogue
	card     func(arm int) archive.Card
	overview *overview.Overview // nil while it is not known
	report   bool               // for printing

	Judges   *overview.Judges // for owners; nil where they cannot be compared
	Compared *comparison      // nil unless requested

	PublicKey replay.PublicKey // of exported logs
}

// SignedIn reports whether the visitor has a token.
func (v View) SignedIn() bool { return v.Who.Name != "" }

// Address returns the address of a path below the study's page.
func (v View) Address(path string) string {
	return page.StudyAddress(v.Study.ID, path, "lang", v.Chosen)
}

// Events returns the address of the event stream, with the version that the page shows: the stream begins with what has
// changed since.
func (v View) Events() string {
	return page.StudyAddress(v.Study.ID, "/events", "version", strconv.Itoa(v.Study.Version), "lang", v.Chosen)
}

// Export returns the address of an export.
func (v View) Export(what, format string) string {
	return page.StudyAddress(v.Study.ID, "/export/"+what, "format", format)
}

// Withdrawal returns the address of the page that confirms the withdrawal of an arm.
func (v View) Withdrawal(arm string) string {
	return page.StudyAddress(v.Study.ID, "/withdraw", "arm", arm, "lang", v.Chosen)
}

// chartAddress returns the address of a chart as an SVG file. A visitor of the public results has the key in the address.
func (v View) chartAddress(id string) string {
	if v.SignedIn() {
		return v.Address("/charts/" + id + ".svg")
	}
	return page.Address(page.ResultsPath+url.PathEscape(v.Study.ID)+"/"+v.Study.Public+"/charts/"+id+".svg", "lang", v.Chosen)
}

// LogFile returns the name of the exported log.
func (v View) LogFile() string { return page.FileName(v.Study) + ".jsonl" }

// Changeable reports whether arms can be added or withdrawn.
func (v View) Changeable() bool {
	return v.Study.State == study.Draft || v.Study.State != study.Done && !v.Study.Settings.Strategy.Model.Clicks
}

// Excludable reports whether people can be excluded by hand.
func (v View) Excludable() bool {
	return (v.Study.State == study.Open || v.Study.State == study.Paused) && v.Study.CheckExclusion() == nil
}

// Addable reports whether arms can be added.
func (v View) Addable() bool {
	return v.Changeable() && v.arms.Profiles == nil && v.arms.Contexts == nil
}

// Contextual reports whether contexts can be set.
func (v View) Contextual() bool {
	return v.Study.State == study.Draft && !v.Study.Imported && v.arms.Profiles == nil
}

// MayHavePrior reports whether a prior can be set.
func (v View) MayHavePrior() bool {
	return v.Contextual() && cmp.Or(v.Study.Settings.Strategy.Assume, strategy.Linear) == strategy.Linear
}

// Openable reports whether the study can be opened, or reopened.
func (v View) Openable() bool {
	return v.Study.State == study.Draft || v.Study.State == study.Paused ||
		v.Study.Reopens() && v.Verdict.Status == strategy.Asking.String()
}

// About returns the data of the template for the state of the study.
func (v View) About() page.StateView { return page.StateOf(v.Words, v.Study) }

// State returns the state of the study, as used in message keys.
func (v View) State() string { return string(v.Study.State) }

// names returns a function that returns display names of arms.
func (v View) names() func(arm int) string {
	return func(arm int) string { return statement.ArmName(v.arms, v.card(arm)) }
}

// Facts returns the facts of the headline.
func (v View) Facts() statement.Facts { return statement.FactsOf(v.Progress, v.names()) }

// Assumption returns what the verdict rests on, or will rest on.
func (v View) Assumption() strategy.Assumption { return statement.AssumptionOf(v.Progress) }

// ByMajority reports whether the verdict rests on what the majority chooses.
func (v View) ByMajority() bool { return v.Assumption() == strategy.Majority }

// Basis returns how many people and answers the verdict is based on.
func (v View) Basis() string { return v.Words.Basis(v.Facts()) }

// Signs returns the signs of fraud.
func (v View) Signs() string { return v.Words.Signs(v.Facts()) }

// Doubtful returns which assumptions of the certificate are doubtful.
func (v View) Doubtful() string { return v.Words.Doubtful(v.Facts()) }

// FirstChoice returns how many people would choose the leader among all arms, an estimate.
func (v View) FirstChoice() string { return v.Estimate(v.Facts()) }

// Sure returns the probability 1 − δ.
func (v View) Sure() string { return v.Words.Sure(v.Study.Settings.Strategy.Delta) }

// People returns how many of 100 people choose any single other arm over the certified one at most.
func (v View) People() int { return statement.People(v.Study.Settings.Strategy.Epsilon) }

// Comparison returns the key of the message about the other options of a question: none for pairs.
func (v View) Comparison() string {
	s := v.Study.Settings
	switch k := s.Strategy.K; {
	case v.Verdict.Partial || k > 2 && s.Picks < k-1 && (!s.Strategy.Offer.BestWorst || k > 3):
		return "assume.shown"
	case k > 2:
		return "assume.ranked"
	}
	return ""
}

// Unexplained returns a warning about arms that the model does not explain, if the verdict rests on it.
func (v View) Unexplained() string {
	misfits := v.Verdict.Misfits
	switch {
	case v.ByMajority() || len(misfits) == 0:
		return ""
	case len(misfits) > statement.MaxNamed:
		return v.Must("misfit.many", "count", v.Count(len(misfits)))
	}
	name := v.names()
	var options []string
	for _, m := range misfits {
		options = append(options, v.Quote(name(m.Arm)))
	}
	return v.Must("misfit.named", "options", v.List(options))
}

// Sentence returns the headline: what is decided or proven.
func (v View) Sentence() string { return v.Headline(v.Facts()) }

// Caveat returns the assumption about people that the verdict rests on, if it has to be stated.
func (v View) Caveat() string { return v.Words.Caveat(v.Facts()) }

// News returns a text that changes when screen readers should read the headline aloud, which is not
// after every answer.
func (v View) News() string {
	parts := []string{string(v.Study.State), string(v.Study.Reason), v.Verdict.Status, v.Facts().Leader, v.Count(v.Possible())}
	return strings.Join(parts, "|")
}

// Mood returns the colour of the headline.
func (v View) Mood() string {
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
func (v View) Begun() bool { return v.Plan > 0 && v.Verdict.Answered > 0 }

// Possible returns the number of arms that may be best, including the leader. Before the first plan
// these are all arms.
func (v View) Possible() int {
	if v.Verdict.Leader < 0 {
		return v.Present()
	}
	return 1 + len(v.Verdict.Contenders) + v.Verdict.Others
}

// Present returns the number of arms that are not withdrawn.
func (v View) Present() int { return v.Study.Arms - len(v.Study.Withdrawn) }

// Answers returns how many answers count, as text.
func (v View) Answers() string { return v.Plural("answers", v.Verdict.Answered) }

// Asked returns how many people have answered, as text. It is empty where people are not counted.
func (v View) Asked() string {
	people := v.Verdict.Respondents + v.Verdict.Answering
	if people == 0 {
		return ""
	}
	return v.Plural("people", people)
}

// Doubt returns the name of the model check that fails, or an empty string if the verdict does not rest on
// the model.
func (v View) Doubt() string {
	if v.ByMajority() || v.Verdict.Model.Status == checks.Fits || v.Verdict.Model.Sentence == "" {
		return ""
	}
	return v.Verdict.Model.Check.String()
}

// Odds returns n if a verdict is wrong at most once in n studies.
func (v View) Odds() string { return v.Short(1 / v.Study.Settings.Strategy.Delta) }

// Extras returns the parts of the model besides attributes.
func (v View) Extras() (extras []string) {
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
func (v View) Drawn() bool {
	return v.overview != nil && len(v.overview.Arms) > 0
}

// Paper reports whether the page is for printing.
func (v View) Paper() bool { return v.report }
