package web

import (
	"math"
	"slices"
	"strings"

	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/strategy"
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

// Sentence returns the facts in English, with the caveat.
func Sentence(f Facts) string {
	l := newLanguages()
	w := words{l.names[0], l.messages[0]}
	text, err := w.Headline(f)
	if err != nil {
		panic(err.Error())
	}
	return strings.TrimSpace(text + " " + w.Caveat(f))
}

// Caveat returns the assumption about people that the verdict rests on, or why it rests on none any more. It is empty
// for a study that goes by majority from the start, and before anything is certified.
func (w words) Caveat(f Facts) string {
	switch {
	case f.FellBack:
		return w.must("headline.fell-back")
	case f.Status != string(study.Certified) || f.Assumption == strategy.Majority:
		return ""
	case f.Extended:
		return w.must("headline.extended")
	}
	return w.must("headline.model")
}

// Headline returns the facts as sentences.
func (w words) Headline(f Facts) (string, error) {
	s, f := speech{words: w}, w.quoted(f)
	switch {
	case f.State == string(study.Draft):
		s.say("headline.draft")
	case f.Status == string(study.Certified):
		s.certified(f)
	case f.Reason == string(study.Refuted):
		s.say("headline.refuted", "leader", f.Leader)
	case f.Reason == string(study.Cyclic):
		s.say("headline.cyclic", "times", w.Short(1/f.Delta))
	case f.Answers == 0 || f.Leader == "":
		s.say("headline.none")
	case f.State == string(study.Done):
		s.standing(f)
		s.say("headline." + f.Reason)
	case len(f.Cycle) > 0:
		s.standing(f)
		s.say("headline.stop")
	default:
		s.standing(f)
		s.forecast(f)
	}
	if f.Total > 0 {
		s.say("headline.counting", "counted", w.Count(f.Counted), "total", w.Count(f.Total))
	}
	if f.State == string(study.Paused) {
		s.say("headline.paused")
	}
	return strings.TrimSpace(s.text.String()), s.err
}

// quoted returns the facts with the names of options as they are in a sentence.
func (w words) quoted(f Facts) Facts {
	f.Leader = w.quote(f.Leader)
	for _, names := range []*[]string{&f.Others, &f.Top, &f.Cycle, &f.Tied} {
		*names = slices.Clone(*names)
		for i, name := range *names {
			(*names)[i] = w.quote(name)
		}
	}
	return f
}

// quote returns the name of an option as it is in a sentence: in quotes if it could be taken for a part of the
// sentence.
func (w words) quote(name string) string {
	const phrase = 3 // words
	if len(strings.Fields(name)) < phrase {
		return name
	}
	return w.must("names.quoted", "name", name)
}

// A speech collects messages into a text.
type speech struct {
	words

	text strings.Builder
	err  error
}

// say adds a message.
func (s *speech) say(key string, pairs ...any) {
	message, err := s.Say(key, pairs...)
	if err != nil {
		s.err = err
	}
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
	s.say("headline.wins", "leader", f.Leader)
	wrong := s.atMostPercent(f.Delta)
	if people := statement.People(f.Epsilon); people > half {
		s.say("headline.within", "leader", f.Leader, "people", people, "wrong", wrong)
	} else {
		s.say("headline.half", "leader", f.Leader, "wrong", wrong)
	}
}

// top adds what is certified about several options.
func (s *speech) top(f Facts) {
	key := "headline.top"
	if f.Ranking {
		key = "headline.ranking"
	}
	if f.Ranking && len(f.Top) > mostRanked {
		key = "headline.long-ranking"
	}
	named := f.Top[:min(len(f.Top), mostRanked)]
	s.say(key, "options", strings.Join(named, ", "), "count", s.Count(len(f.Top)), "wrong", s.atMostPercent(f.Delta))
}

// mostRanked is the maximum number of best options that a sentence names.
const mostRanked = 10

// half of 100 people.
const half = 50

// atMostPercent formats a probability as a percentage that is not smaller.
func (w words) atMostPercent(p float64) string {
	const smallest = 1e-6
	return w.must("number.percent", "n", w.Short(100*max(p, smallest)))
}

// mostNamed is the maximum number of other options that a sentence names, and mostInCycle the maximum
// number of options in a cycle that it names.
const (
	mostNamed   = 3
	mostInCycle = 5
)

// standing adds the leader and the other contenders, or that there is no clear favourite.
func (s *speech) standing(f Facts) {
	switch {
	case len(f.Cycle) > mostInCycle:
		s.say("headline.long-cycle", "count", s.Count(len(f.Cycle)))
	case len(f.Cycle) > 0:
		s.cycle(f.Cycle)
	case len(f.Tied) > 0:
		s.say("headline.tied", "leader", f.Leader, "others", s.list(f.Tied))
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
		steps = append(steps, s.must(key, "option", over, "other", options[(i+len(options)-1)%len(options)]))
	}
	s.say("headline.cycle", "steps", strings.Join(steps, ", "))
}

// list returns names as a list: "A, B and C".
func (w words) list(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return w.must("names.and", "others", strings.Join(names[:last], ", "), "last", names[last])
}

// Basis returns how many people are counted.
func (w words) Basis(f Facts) (string, error) {
	s := speech{words: w}
	s.people("counted", f.People)
	s.people("answering", f.Answering)
	return s.text.String(), s.err
}

// people adds one of three messages about people: for 0, 1 and more.
func (s *speech) people(what string, n int) {
	switch n {
	case 0:
		s.say("people." + what + "-none")
	case 1:
		s.say("people." + what + "-one")
	default:
		s.say("people."+what+"-many", "count", s.Count(n))
	}
}

// leads adds the leader and the other contenders.
func (s *speech) leads(f Facts) {
	count := len(f.Others) + f.More
	switch {
	case count == 0:
		s.say("headline.leads", "leader", f.Leader)
	case count == 1 && len(f.Others) == 1:
		s.say("headline.one", "leader", f.Leader, "other", f.Others[0])
	case count <= mostNamed && f.More == 0:
		s.say("headline.some", "leader", f.Leader, "others", s.list(f.Others))
	default:
		s.say("headline.many", "leader", f.Leader, "count", s.Count(count))
	}
}

// forecast adds the number of further answers.
func (s *speech) forecast(f Facts) {
	const few, vague = 10, 1e5
	low, high := round(float64(f.Answers)+f.Low), round(float64(f.Answers)+f.High)
	switch {
	case f.Hopeless, f.Known && f.Low == 0 && f.High == 0:
		s.say("headline.hopeless")
	case !f.Known:
		s.say("headline.early")
	case f.High == 0, high >= vague:
		s.say("headline.at-least", "low", s.Number(low, 0))
	case f.High < few:
		s.say("headline.few")
	case low == high:
		s.say("headline.about", "high", s.Number(high, 0))
	default:
		s.say("headline.between", "low", s.Number(low, 0), "high", s.Number(high, 0))
	}
}

// round rounds a number of answers to two digits, and to at least 1.
func round(x float64) float64 {
	x = min(max(1, math.Ceil(x)), 1e15)
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	return math.Round(x/unit) * unit
}
