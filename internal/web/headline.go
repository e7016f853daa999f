package web

import (
	"math"
	"strings"

	"bestpick/internal/study"
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
	Epsilon       float64  // how much worse than the best is good enough

	// Low and High are the forecast of further answers, if Known. 0 stands for more than can be forecast.
	Known     bool
	Low, High float64
	Hopeless  bool // the study may need an unaffordable number of answers, even if the forecast is not known

	// Counted of Total outcomes are counted while there is a backlog. Otherwise Total is 0.
	Counted, Total int
}

// Sentence returns the facts in English.
func Sentence(f Facts) string {
	l := newLanguages()
	text, err := words{l.names[0], l.messages[0]}.Headline(f)
	if err != nil {
		panic(err.Error())
	}
	return text
}

// Headline returns the facts as sentences.
func (w words) Headline(f Facts) (string, error) {
	s := speech{words: w}
	switch {
	case f.State == string(study.Draft):
		s.say("headline.draft")
	case f.Status == string(study.Certified) && f.Epsilon > 0:
		s.say("headline.within", "leader", f.Leader, "epsilon", w.Short(f.Epsilon), "times", w.Short(1/f.Delta))
	case f.Status == string(study.Certified):
		s.say("headline.certified", "leader", f.Leader, "times", w.Short(1/f.Delta))
	case f.Reason == string(study.Refuted):
		s.say("headline.refuted", "leader", f.Leader)
	case f.Answers == 0 || f.Leader == "":
		s.say("headline.none")
	case f.State == string(study.Done):
		s.leads(f)
		s.say("headline." + f.Reason)
	default:
		s.leads(f)
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

// mostNamed is the maximum number of other options that a sentence names.
const mostNamed = 3

// leads adds the leader and the other contenders.
func (s *speech) leads(f Facts) {
	count := len(f.Others) + f.More
	switch {
	case count == 0:
		s.say("headline.leads", "leader", f.Leader)
	case count == 1 && len(f.Others) == 1:
		s.say("headline.one", "leader", f.Leader, "other", f.Others[0])
	case count <= mostNamed && f.More == 0:
		last := len(f.Others) - 1
		s.say("headline.some", "leader", f.Leader, "others", strings.Join(f.Others[:last], ", "), "last", f.Others[last])
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
