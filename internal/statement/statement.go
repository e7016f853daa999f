// Package statement puts results into words, for people: what is certified or proven, what it rests on, and the state of
// a study, in every language of the pages. Pages, API and terminal use the same sentences.
package statement

import (
	"cmp"
	"math"
	"strings"
	"time"

	"bestpick/checks"
	"bestpick/evidence"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

const (
	all        = 100  // people
	negligible = 1e-6 // of a person, or a percent
)

// People returns how many of 100 people choose any single other option over the certified one at most: 55 at ε = 0.2.
func People(epsilon float64) int { return people(0.5 + evidence.Points(epsilon)) }

// people returns a share as a number of 100 people that is not smaller.
func people(share float64) int { return int(math.Ceil(all*share - negligible)) }

// morePeople returns a number of 100 people that is not larger than the share that is the limit at an ε.
func morePeople(epsilon float64) int {
	return int(math.Floor(all*(0.5+evidence.Points(epsilon)) + negligible))
}

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
	Segmented  bool // it has a taste for each segment, and linear evidence is about the mean utility over them

	// Judges says that the verdict is about the judges who answer, and not about the people they come from. Choosers
	// says that respondents may also choose none, or call options equal. Partial says that majority evidence rests
	// on answers that do not order all options they show.
	Judges, Choosers, Partial bool

	// Proven is the option of which something is proven without a certificate, and Share the largest share of people
	// who choose any single other option over it. Share is 0 if nothing is proven.
	Proven string
	Share  float64

	// Missing is the weight with which unanswered comparisons may count against the certified option, and FirstChoice
	// the estimated share of people who would choose the leader among all options.
	Missing, FirstChoice float64

	// Fakes is how many people may be fake in all that majority evidence shows, and Withstands how many may be fake
	// at a certificate, if no answers are missing because of a choice.
	Fakes, Withstands int

	// Groups are the groups of the population that a verdict by majority is about; nil for people as they come.
	Groups []Group

	// People have answered, and of these Finished have answered all of their questions, Left have left before. All
	// are 0 where people are not counted. Guiding answers are no evidence. Erased people were left out when their data
	// was deleted. The owner excluded others ByHand. Span is the time between the first answer and the last.
	// Silent have been asked, and none of their answers counts.
	People, Finished, Left, Silent, Guiding, Erased, ByHand int
	Span                                                    time.Duration

	// Crowded people, Fast answers and Straight people are left out by the rules. Signs of fraud are warnings.
	Crowded, Fast, Straight int
	Signs                   []study.Sign

	Doubts []Doubt // about the assumptions of majority

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

// A Group is a part of the population with a share of it, of which people have answered.
type Group struct {
	Name   string
	Share  float64
	People int
}

// groupsOf returns the groups of a weighted verdict.
func groupsOf(s racing.Settings, v study.Verdict) (groups []Group) {
	total := 0.0
	for i, segment := range s.Model.Segments {
		if total += segment.Share; s.Weighted {
			groups = append(groups, Group{Name: segment.Name, Share: segment.Share})
		}
		if s.Weighted && i < len(v.Segments) {
			groups[i].People = v.Segments[i].Answered
		}
	}
	for i := range groups {
		groups[i].Share /= total
	}
	return groups
}

// A Doubt says that some people, or answers, choose Rival over Option otherwise than others: the shares Chosen and Otherwise.
type Doubt struct {
	About             string // see [strategy.Doubt]
	Option, Rival     string
	Chosen, Otherwise float64
	People            int
}

// NewDoubt returns a doubt about arms with display names.
func NewDoubt(d strategy.Doubt, name func(arm int) string) Doubt {
	return Doubt{d.About, name(d.Arm), name(d.Rival), d.Chosen, d.Otherwise, d.People}
}

// FactsOf returns the facts of a study's progress, with a function that returns the display names of arms.
func FactsOf(p overview.Progress, name func(arm int) string) Facts {
	verdict, settings, forecast := p.Verdict, p.Study.Settings.Strategy, p.Verdict.Forecast.Shown(p.Verdict.Answered)
	f := Facts{
		State: string(p.Study.State), Reason: string(p.Study.Reason), Status: verdict.Status, Answers: verdict.Answered,
		Delta: settings.Delta, Epsilon: settings.Epsilon, Assumption: AssumptionOf(p), FellBack: fellBack(p),
		Extended: len(settings.Model.Segments) > 0 || settings.Model.Slots || settings.Model.Intercepts || settings.Model.Clicks,
		Erased:   verdict.Erased, ByHand: verdict.ByHand,
		Judges: p.Study.Settings.Judges, Choosers: settings.Offer.Outside || settings.Offer.Ties, Partial: verdict.Partial,
		Fakes: settings.Fakes, Withstands: verdict.Withstands, Missing: verdict.Missing, FirstChoice: verdict.FirstChoice,
		People:   verdict.Respondents + verdict.Answering,
		Finished: verdict.Finished, Left: verdict.Respondents - verdict.Finished, Guiding: verdict.Guiding,
		Silent: verdict.Arrived - verdict.Respondents - verdict.Answering,
		Span:   verdict.Until.Sub(verdict.From), Ranking: settings.Top == racing.TopAll, More: verdict.Others,
		Known: forecast.Known, Low: forecast.Low, High: forecast.High, Hopeless: forecast.Hopeless,
	}
	f.Groups = groupsOf(settings, verdict)
	f.Segmented = f.Assumption == strategy.Linear && len(settings.Model.Segments) > 0
	f.Crowded, f.Fast, f.Straight = verdict.Signs.LeftOut(p.Study.Settings.InForce())
	f.Signs = verdict.Signs.Warnings(p.Study.Settings.InForce())
	if p.Uncounted > 0 {
		f.Counted, f.Total = p.Counted(), p.Counted()+p.Uncounted
	}
	if verdict.HasLeader() {
		f.Leader = name(verdict.Leader)
	}
	switch epsilon := verdict.CertifiedEpsilon; {
	case f.Assumption == strategy.Majority && verdict.Proven.Share > 0:
		f.Proven, f.Share = name(verdict.Proven.Arm), verdict.Proven.Share
	case f.Assumption == strategy.Linear && epsilon != nil && f.Leader != "" && !f.Segmented:
		f.Proven, f.Share = f.Leader, 0.5+evidence.Points(*epsilon)
	}
	for _, d := range verdict.Doubts {
		f.Doubts = append(f.Doubts, NewDoubt(d, name))
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

// isTie reports whether about as many people choose a contender as the leader, and enough people have compared the two to say so.
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
