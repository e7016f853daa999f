package statement

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"bestpick/checks"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Facts is the status of a study, for a summary in plain language.
type Facts struct {
	State, Reason string   // of the study
	Status        string   // of the verdict
	Answers       int      // counted
	Leader        string   // display name; empty without a leader
	Others        []string // contenders
	More          int      // further contenders, without a name here
	Delta         float64  // probability of a wrong verdict
	Epsilon       float64  // how much worse than the best is good enough, in utility

	// Assumption is what the verdict rests on; empty for linear. FellBack reports that a study began as
	// linear, and goes by majority since its answers refuted the model.
	Assumption strategy.Assumption
	FellBack   bool
	Extended   bool // the model has parts besides the attributes

	// People have finished and count; Answering have answered and not finished. Both are 0 where people
	// are not counted.
	People, Answering int

	Top     []string // the best options, where several are certified together or ranked
	Ranking bool     // they are all options, and their order is certified

	Cycle []string // options each of which is chosen over the one before, and the first over the last
	Tied  []string // contenders that about as many people choose as the leader

	// Low and High are the forecast of further answers, if Known. 0 stands for more than can be forecast.
	Known     bool
	Low, High float64
	Hopeless  bool // the study may need an unaffordable number of answers, even if the forecast is not known

	// Counted of Total outcomes are counted while there is a backlog. Otherwise Total is 0.
	Counted, Total int
}

// FactsOf returns the facts of a study's progress, with a function that returns the display names of arms.
func FactsOf(p overview.Progress, name func(arm int) string) Facts {
	verdict, settings, forecast := p.Verdict, p.Study.Settings.Strategy, p.Verdict.Forecast.Shown(p.Verdict.Answered)
	f := Facts{
		State: string(p.Study.State), Reason: string(p.Study.Reason), Status: verdict.Status, Answers: verdict.Answered,
		Delta: settings.Delta, Epsilon: settings.Epsilon, Assumption: AssumptionOf(p), FellBack: fellBack(p),
		Extended: len(settings.Model.Segments) > 0 || settings.Model.Slots || settings.Model.Intercepts || settings.Model.Clicks,
		People:   verdict.Respondents, Answering: verdict.Answering, Ranking: settings.Top == racing.TopAll, More: verdict.Others,
		Known: forecast.Known, Low: forecast.Low, High: forecast.High, Hopeless: forecast.Hopeless,
	}
	if p.Uncounted > 0 {
		f.Counted, f.Total = p.Counted(), p.Counted()+p.Uncounted
	}
	if verdict.Leader >= 0 {
		f.Leader = name(verdict.Leader)
	}
	for _, arm := range verdict.Top {
		f.Top = append(f.Top, name(arm))
	}
	for _, arm := range verdict.Cycle {
		f.Cycle = append(f.Cycle, name(arm))
	}
	for _, c := range verdict.Contenders {
		if len(f.Others) < MaxNamed {
			f.Others = append(f.Others, name(c.Arm))
		}
		if len(f.Tied) < MaxNamed && isTie(c) {
			f.Tied = append(f.Tied, name(c.Arm))
		}
	}
	f.More += len(verdict.Contenders) - len(f.Others)
	return f
}

// AssumptionOf returns what the verdict of a study rests on, or will rest on.
func AssumptionOf(p overview.Progress) strategy.Assumption {
	return cmp.Or(p.Verdict.Assumption, p.Study.Settings.Strategy.Assume, strategy.Linear)
}

// fellBack reports whether the answers refuted the model of a linear study, which then continues under majority.
func fellBack(p overview.Progress) bool {
	return AssumptionOf(p) == strategy.Majority && p.Study.Settings.Strategy.Assume != strategy.Majority &&
		p.Verdict.Model.Status == checks.Refuted
}

// isTie reports whether about as many people choose a contender as the leader, and enough people have compared the two
// to say so.
func isTie(c strategy.Standing) bool {
	const people, points = 30, 0.05
	return c.Compared >= people && math.Abs(c.Chosen-0.5) <= points
}

// maxName is the maximum length of an arm's display name in characters.
const maxName = 80

// ArmName returns the display name of an arm: its label, or its ID, or the levels of a profile.
func ArmName(arms *archive.Catalogue, card archive.Card) string {
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
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return name
}

// englishWords has the messages in English, read once.
var englishWords = sync.OnceValue(func() Words { return Languages()[0] }) //nolint:gochecknoglobals // a constant

// Sentence returns the headline in English, with its caveat.
func Sentence(f Facts) string {
	w := englishWords()
	return strings.TrimSpace(w.Headline(f) + " " + w.Caveat(f))
}

// Caveat returns the assumption about people that the verdict rests on, or why it rests on none any more. It is empty
// for a study that goes by majority from the start, and before anything is certified.
func (w Words) Caveat(f Facts) string {
	switch {
	case f.FellBack:
		return w.Must("headline.fell-back")
	case f.Status != string(study.Certified) || f.Assumption == strategy.Majority:
		return ""
	case f.Extended:
		return w.Must("headline.extended")
	}
	return w.Must("headline.model")
}

// Headline returns the facts as sentences.
func (w Words) Headline(f Facts) string {
	s, f := speech{Words: w}, w.quoted(f)
	switch {
	case f.State == string(study.Draft):
		s.add("headline.draft")
	case f.Status == string(study.Certified):
		s.certified(f)
	case f.Reason == string(study.Refuted):
		s.add("headline.refuted", "leader", f.Leader)
	case f.Reason == string(study.Cyclic):
		s.add("headline.cyclic", "times", w.Short(1/f.Delta))
	case f.Answers == 0 || f.Leader == "":
		s.add("headline.none")
	case f.State == string(study.Done):
		s.standing(f)
		s.add("headline." + f.Reason)
	case len(f.Cycle) > 0:
		s.standing(f)
		s.add("headline.stop")
	default:
		s.standing(f)
		s.forecast(f)
	}
	if f.Total > 0 {
		s.add("headline.counting", "counted", w.Count(f.Counted), "total", w.Count(f.Total))
	}
	if f.State == string(study.Paused) {
		s.add("headline.paused")
	}
	return strings.TrimSpace(s.text.String())
}

// quoted returns the facts with the names of options as they are in a sentence.
func (w Words) quoted(f Facts) Facts {
	f.Leader = w.Quote(f.Leader)
	for _, names := range []*[]string{&f.Others, &f.Top, &f.Cycle, &f.Tied} {
		*names = slices.Clone(*names)
		for i, name := range *names {
			(*names)[i] = w.Quote(name)
		}
	}
	return f
}

// A speech collects messages into a text.
type speech struct {
	Words

	text strings.Builder
}

// add adds a message.
func (s *speech) add(key string, pairs ...any) {
	message := s.Must(key, pairs...)
	if s.text.Len() > 0 && !strings.HasPrefix(message, ";") && !strings.HasPrefix(message, ".") {
		s.text.WriteByte(' ')
	}
	s.text.WriteString(message)
}

// certified adds what is certified about the leader.
func (s *speech) certified(f Facts) {
	if f.Top != nil {
		s.top(f)
		return
	}
	s.add("headline.wins", "leader", f.Leader)
	wrong := s.atMostPercent(f.Delta)
	if people := People(f.Epsilon); people > Half {
		s.add("headline.within", "leader", f.Leader, "people", people, "wrong", wrong)
	} else {
		s.add("headline.half", "leader", f.Leader, "wrong", wrong)
	}
}

// top adds what is certified about several options.
func (s *speech) top(f Facts) {
	key := "headline.top"
	if f.Ranking {
		key = "headline.ranking"
	}
	if f.Ranking && len(f.Top) > maxRanked {
		key = "headline.long-ranking"
	}
	named := f.Top[:min(len(f.Top), maxRanked)]
	s.add(key, "options", strings.Join(named, ", "), "count", s.Count(len(f.Top)), "wrong", s.atMostPercent(f.Delta))
}

// maxRanked is the maximum number of best options that a sentence names.
const maxRanked = 10

// Half of 100 people.
const Half = 50

// atMostPercent formats a probability as a percentage that is not smaller.
func (w Words) atMostPercent(p float64) string {
	const smallest = 1e-6
	return w.Must("number.percent", "n", w.Short(100*max(p, smallest)))
}

// MaxNamed is the maximum number of other options that a sentence names, and maxInCycle the maximum
// number of options in a cycle that it names.
const (
	MaxNamed   = 3
	maxInCycle = 5
)

// standing adds the leader and the other contenders, or that there is no clear favourite.
func (s *speech) standing(f Facts) {
	switch {
	case len(f.Cycle) > maxInCycle:
		s.add("headline.long-cycle", "count", s.Count(len(f.Cycle)))
	case len(f.Cycle) > 0:
		s.cycle(f.Cycle)
	case len(f.Tied) > 0:
		s.add("headline.tied", "leader", f.Leader, "others", s.List(f.Tied))
	default:
		s.leads(f)
	}
}

// cycle adds that there is no clear favourite, and why.
func (s *speech) cycle(options []string) {
	var steps []string
	for i, over := range slices.Backward(options) {
		key := "headline.over"
		if len(steps) == 0 {
			key = "headline.chosen-over"
		}
		steps = append(steps, s.Must(key, "option", over, "other", options[(i+len(options)-1)%len(options)]))
	}
	s.add("headline.cycle", "steps", strings.Join(steps, ", "))
}

// PeopleCounted returns how many people are counted.
func (w Words) PeopleCounted(f Facts) string {
	s := speech{Words: w}
	s.people("counted", f.People)
	s.people("answering", f.Answering)
	return s.text.String()
}

// people adds one of three messages about people: for 0, 1 and more.
func (s *speech) people(what string, n int) {
	switch n {
	case 0:
		s.add("people." + what + "-none")
	case 1:
		s.add("people." + what + "-one")
	default:
		s.add("people."+what+"-many", "count", s.Count(n))
	}
}

// leads adds the leader and the other contenders.
func (s *speech) leads(f Facts) {
	count := len(f.Others) + f.More
	switch {
	case count == 0:
		s.add("headline.leads", "leader", f.Leader)
	case count == 1 && len(f.Others) == 1:
		s.add("headline.one", "leader", f.Leader, "other", f.Others[0])
	case count <= MaxNamed && f.More == 0:
		s.add("headline.some", "leader", f.Leader, "others", s.List(f.Others))
	default:
		s.add("headline.many", "leader", f.Leader, "count", s.Count(count))
	}
}

// forecast adds the number of further answers.
func (s *speech) forecast(f Facts) {
	const few, vague = 10, 1e5
	low, high := round(float64(f.Answers)+f.Low), round(float64(f.Answers)+f.High)
	switch {
	case f.Hopeless, f.Known && f.Low == 0 && f.High == 0:
		s.add("headline.hopeless")
	case !f.Known:
		s.add("headline.early")
	case f.High == 0, high >= vague:
		s.add("headline.at-least", "low", s.Number(low, 0))
	case f.High < few:
		s.add("headline.few")
	case low == high:
		s.add("headline.about", "high", s.Number(high, 0))
	default:
		s.add("headline.between", "low", s.Number(low, 0), "high", s.Number(high, 0))
	}
}

// round rounds a number of answers to two digits, and to at least 1.
func round(x float64) float64 {
	x = min(max(1, math.Ceil(x)), 1e15)
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	return math.Round(x/unit) * unit
}
