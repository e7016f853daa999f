package statement

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bestpick/internal/study"
	"bestpick/strategy"
)

// englishWords has the messages in English, read once.
var englishWords = sync.OnceValue(func() Words { return Languages()[0] }) //nolint:gochecknoglobals // a constant

// Sentence returns the verdict in English.
func Sentence(f Facts) string { return englishWords().Sentence(f) }

// Claim returns what is certified or proven in English, with what it assumes. It is empty if there is nothing.
func Claim(f Facts) string {
	s := speech{Words: englishWords()}
	quoted := s.quoted(f)
	switch {
	case f.Status == string(study.Certified):
		s.certified(quoted)
	case f.Status == string(study.Cyclic):
		s.cyclic(f)
	case f.Share > 0:
		s.proven(quoted, quoted.Proven)
	default:
		return ""
	}
	return strings.TrimSpace(s.text.String() + " " + s.Caveat(f))
}

// Sentence returns the verdict: every surface has this text, or its parts.
func (w Words) Sentence(f Facts) string {
	parts := []string{w.Headline(f), w.Basis(f), w.Caveat(f), w.Doubtful(f), w.Signs(f), w.Estimate(f)}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

// claims reports whether something is certified or proven.
func (f Facts) claims() bool {
	return f.Status == string(study.Certified) || f.Status == string(study.Cyclic) || f.Share > 0
}

// Caveat returns what the verdict assumes about people besides what guarantee.md says of all verdicts, or why it does
// not assume the model any more. Before anything is certified or proven there are no assumptions.
func (w Words) Caveat(f Facts) string {
	s := speech{Words: w}
	if f.FellBack {
		s.add("headline.fell-back")
	}
	switch byMajority := f.Assumption == strategy.Majority; {
	case !f.claims() || byMajority && f.Judges:
	case byMajority:
		s.proportions(f)
		s.missing(f)
		s.fakes(f)
	case f.Segmented:
		s.add("headline.mean", "epsilon", w.Short(f.Epsilon))
		s.add("headline.extended")
	case f.Extended:
		s.add("headline.extended")
	default:
		s.add("headline.model")
	}
	return s.text.String()
}

// missing adds how much a verdict by majority assumes about people who left.
func (s *speech) missing(f Facts) {
	f = s.quoted(f)
	option, share := f.Leader, math.Floor(all*f.Missing+negligible)/all
	if f.Top != nil {
		option = s.List(f.Top)
	}
	switch {
	case f.Left == 0:
	case share == 0:
		s.add("missing.none")
	case share < 1:
		s.add("missing.some", "share", s.Percent(share), "option", option)
	default:
		s.add("missing.all", "option", option)
	}
	if f.Silent > 0 {
		s.add("missing.silent", "people", s.Plural("people", f.Silent))
	}
}

// proportions adds the population that a weighted verdict is about.
func (s *speech) proportions(f Facts) {
	var shares []string
	for _, g := range f.Groups {
		shares = append(shares, s.Must("groups.share", "share", s.Percent(g.Share), "group", s.Quote(g.Name)))
	}
	if shares != nil {
		s.add("groups.about", "groups", s.List(shares))
	}
}

// fakes adds how many people may be fake in a verdict by majority.
func (s *speech) fakes(f Facts) {
	people, key := s.Plural("people", f.People), "fakes.many"
	switch f.Fakes {
	case 0:
		key = "fakes.none"
	case 1:
		key = "fakes.one"
	}
	s.add(key, "count", f.Fakes, "people", people)
	if f.Status == string(study.Certified) && f.Withstands > f.Fakes {
		s.add("fakes.more", "count", f.Withstands)
	}
}

// Estimate returns how many people would choose the leader among all options, which is an estimate. It is empty before
// the study is over, and where people are not counted.
func (w Words) Estimate(f Facts) string {
	over := f.State == string(study.Done) && f.Status != strategy.Cyclic.String() || f.Status == string(study.Certified)
	if !over || f.Assumption != strategy.Majority || f.Judges || f.FirstChoice == 0 || f.Leader == "" {
		return ""
	}
	return w.Must("basis.estimate", "people", int(math.Round(all*f.FirstChoice)), "option", w.Quote(f.Leader))
}

// Shares returns of whom or what the shares of a ranking are, and whether their ranges are proven.
func (w Words) Shares(f Facts, bounded bool) string {
	s := speech{Words: w}
	s.add("shares."+about(f), "option", w.Quote(f.Leader))
	proven := "shares.bounded"
	switch {
	case !bounded:
		proven = "shares.estimated"
	case f.Assumption == strategy.Linear:
		proven = "shares.modelled"
	case f.ByHand > 0:
		proven = "shares.counting"
	}
	s.add(proven, "sure", w.Sure(f.Delta))
	return s.text.String()
}

// Doubtful returns which assumptions of a verdict by majority are doubtful, with the size of the effect.
func (w Words) Doubtful(f Facts) string {
	s := speech{Words: w}
	if !f.claims() || f.Assumption != strategy.Majority {
		return ""
	}
	for _, d := range f.Doubts {
		s.doubt(d)
	}
	return s.text.String()
}

// Signs returns the signs of fraud. It is empty if there are none.
func (w Words) Signs(f Facts) string {
	s := speech{Words: w}
	if len(f.Signs) > 0 {
		s.add("signs.title")
	}
	for _, sign := range f.Signs {
		s.sign(sign)
	}
	return s.text.String()
}

// sign adds a sign of fraud, and whether the people or answers count.
func (s *speech) sign(sign study.Sign) {
	s.add("signs."+sign.Kind, "some", s.Count(sign.Some), "all", s.Count(sign.All), "largest", s.Count(sign.Largest))
	switch {
	case sign.Kind == "burst":
	case sign.Counted:
		s.add("signs.counted")
	case sign.Kind == "straight":
		s.add("signs.capped")
	default:
		s.add("signs.omitted")
	}
}

// SignText returns a sign of fraud in English.
func SignText(sign study.Sign) string {
	s := speech{Words: englishWords()}
	s.sign(sign)
	return s.text.String()
}

// doubt adds a doubt.
func (s *speech) doubt(d Doubt) {
	s.add("doubtful."+d.About, "option", s.Quote(d.Option), "rival", s.Quote(d.Rival), "chosen", s.Percent(d.Chosen),
		"otherwise", s.Percent(d.Otherwise), "people", s.Plural("people", d.People))
}

// Text returns the doubt in English.
func (d Doubt) Text() string {
	s := speech{Words: englishWords()}
	s.doubt(d)
	return s.text.String()
}

// Basis returns what the verdict is based on.
func (w Words) Basis(f Facts) string {
	byMajority := f.Assumption == strategy.Majority
	counted := f.Answers
	if byMajority {
		counted -= f.Guiding
	}
	s := speech{Words: w}
	switch {
	case counted <= 0:
	case byMajority && f.People > 0 && !f.Judges:
		s.add("basis.people", "people", w.Plural("people", f.People), "answers", w.Plural("answers", counted),
			"span", w.span(f.Span), "finished", w.Plural("finished", f.Finished))
	default:
		s.add("basis.answers", "answers", w.Plural("answers", counted), "span", w.span(f.Span))
	}
	for _, g := range f.Groups {
		if counted > 0 && g.People == 0 {
			s.add("groups.missing", "group", w.Quote(g.Name), "share", w.Percent(g.Share))
		}
	}
	if byMajority && f.Guiding > 0 {
		s.add("basis.guiding", "answers", w.Plural("answers", f.Guiding))
	}
	var omitted []string
	for _, left := range []struct {
		what string
		n    int
	}{{"crowded", f.Crowded}, {"fast", f.Fast}, {"straight", f.Straight}} {
		if left.n > 0 {
			omitted = append(omitted, w.Plural(left.what, left.n))
		}
	}
	if omitted != nil {
		s.add("basis.excluded", "what", strings.Join(omitted, ", "))
	}
	if f.ByHand > 0 {
		s.add("basis.by-hand", "people", w.Plural("people", f.ByHand))
	}
	if f.Erased > 0 {
		s.add("basis.erased", "people", w.Plural("people", f.Erased))
	}
	return s.text.String()
}

// Plural returns one of two messages about a number: for 1 and for others.
func (w Words) Plural(what string, n int) string {
	if n == 1 {
		return w.Must("count." + what + "-one")
	}
	return w.Must("count."+what+"-many", "count", w.Count(n))
}

// span returns a time in hours, or in days.
func (w Words) span(t time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case t <= time.Hour:
		return w.Must("span.hour")
	case t <= 2*day:
		return w.Must("span.hours", "count", w.Count(int(math.Ceil(t.Hours()))))
	}
	return w.Must("span.days", "count", w.Count(int(math.Ceil(t.Hours()/day.Hours()))))
}

// Headline returns what is decided or proven.
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
		s.cyclic(f)
	case f.Answers == 0:
		s.add("headline.none")
	case f.Leader == "":
		if f.State == string(study.Done) {
			s.add("headline."+f.Reason, "answers", s.Plural("answers", f.Answers))
		}
		s.add("headline.no-leader")
	case f.State == string(study.Done):
		s.undecided(f)
	case len(f.Cycle) > 0:
		s.standing(f)
		s.leading(f, f.Proven)
		s.add("headline.stop")
	default:
		s.standing(f)
		s.leading(f, f.Proven)
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
	f.Leader, f.Proven = w.Quote(f.Leader), w.Quote(f.Proven)
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
	if f.Segmented {
		s.add("wins.mean", "option", f.Leader, "sure", s.Sure(f.Delta))
		return
	}
	s.add("wins."+about(f), "option", f.Leader, "least", all-People(f.Epsilon), "sure", s.Sure(f.Delta))
}

// cyclic adds that no option is a favourite.
func (s *speech) cyclic(f Facts) {
	s.add("cyclic."+about(f), "least", morePeople(f.Epsilon), "sure", s.Sure(f.Delta))
}

// about returns the end of the key of a message about the people or judges of a verdict, and how they compare options.
func about(f Facts) string {
	whose, how := "people", "pairs"
	if f.Judges {
		whose = "judges"
	}
	switch {
	case f.Partial && f.Assumption == strategy.Majority:
		how = "asked"
	case f.Choosers:
		how = "choosers"
	}
	return whose + "." + how
}

// undecided adds how a study without a certificate ended, and what it proves.
func (s *speech) undecided(f Facts) {
	s.add("headline."+f.Reason, "answers", s.Plural("answers", f.Answers))
	if f.Share > 0 && f.Proven == f.Leader && len(f.Cycle) == 0 && len(f.Tied) == 0 {
		s.add("headline.leads", "leader", f.Leader)
		s.leading(f, s.Must("names.it"))
	} else {
		s.standing(f)
		s.leading(f, f.Proven)
	}
	s.add("headline.stop")
}

// leading adds what is proven about an option to a sentence, if anything is.
func (s *speech) leading(f Facts, option string) {
	if f.Share > 0 {
		s.text.WriteString("; ")
		s.text.WriteString(s.Must("proven."+about(f), "option", option, "most", people(f.Share), "sure", s.Sure(f.Delta)))
	}
}

// proven adds what is proven about an option as a sentence.
func (s *speech) proven(f Facts, option string) {
	s.add("proven."+about(f), "option", option, "most", people(f.Share), "sure", s.Sure(f.Delta))
	s.add("headline.stop")
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
	if (f.Epsilon > 0 || f.Assumption == strategy.Majority) && !f.Segmented {
		key += "-within"
	}
	named := f.Top[:min(len(f.Top), maxRanked)]
	s.add(key, "options", strings.Join(named, ", "), "count", s.Count(len(f.Top)), "sure", s.Sure(f.Delta),
		"chosen", s.Must("chosen."+about(f), "most", People(f.Epsilon)))
}

// maxRanked is the maximum number of best options that a sentence names.
const maxRanked = 10

// Sure returns 1 − δ as a percentage that is not larger.
func (w Words) Sure(delta float64) string {
	wrong := 100 * min(max(delta, smallest), 1)
	digits := max(0, 1-int(math.Floor(math.Log10(wrong))))
	unit := math.Pow10(-digits)
	sure := all - unit*math.Ceil(wrong/unit-negligible)
	text := strconv.FormatFloat(sure, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	_, decimals, _ := strings.Cut(text, ".")
	return w.Must("number.percent", "n", w.Number(sure, len(decimals)))
}

const smallest = 1e-6 // probability that a text states

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
	isBeyond := f.Known && f.Low == 0 && f.High == 0 // early forecasts are, so ties must show it, too
	switch {
	case f.Hopeless, isBeyond && len(f.Tied) > 0:
		s.add("headline.hopeless")
	case !f.Known, isBeyond:
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
