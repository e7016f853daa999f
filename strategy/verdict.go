package strategy

import (
	"fmt"
	"math"
	"slices"

	"bestpick/checks"
	"bestpick/choice"
)

// A Status is the phase of a strategy.
type Status int

const (
	// Asking means that more answers are needed.
	Asking Status = iota

	// Decided means that the strategy has stopped by its own rule. It does not mean that the leader is certified to be best.
	Decided

	// Certified means that the strategy has stopped, and that with probability 1 − δ no arm is
	// better than the leader by more than ε.
	Certified

	// Cyclic means that the strategy has stopped, and that with probability 1 − δ every arm loses to another by more than ε:
	// there is no favourite. Only majority evidence shows that. The leader is then the arm that seems to lose least.
	Cyclic
)

// String returns the status as a lower-case word.
func (s Status) String() string {
	switch s {
	case Decided:
		return "decided"
	case Certified:
		return "certified"
	case Cyclic:
		return "cyclic"
	case Asking:
	}
	return "asking"
}

// MarshalText returns the word of the status.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of a status.
func (s *Status) UnmarshalText(text []byte) error {
	for *s = Asking; *s <= Cyclic; *s++ {
		if s.String() == string(text) {
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", text)
}

// A Verdict is the current result of a strategy.
type Verdict struct {
	Status     Status
	Leader     int   // the arm that looks best; the answer once decided
	Contenders []int // arms not eliminated by the strategy's bound, the leader first
	Others     int   // further contenders, where there are too many to list
	Asked      int   // questions asked so far
	Answered   int   // answers told

	// Elimination reports how many of the other arms are eliminated. It changes with the leader. Progress is how far the race
	// has come, from 0 to 1, and never falls while the arms stay the same and no person is excluded, see [NewProgress].
	Elimination Elimination
	Progress    float64

	// Early reports that no arm has shown yet that it may be best: Leader is a guess.
	Early bool

	// Standings describes each contender but the leader, and Forecast how many more answers the
	// strategy expects to need. Only the certified strategy sets them.
	Standings []Standing
	Forecast  Forecast

	// Top has the arms that look best, where the strategy certifies several together or a ranking of all:
	// in the order of their estimated utilities. Then Contenders has the leader and the arms that may still
	// belong above one that is ranked above them, and the certificate says that no arm does, by more than
	// ε. Of fewer than all arms the order is not certified, only which they are. Standings are then against
	// the most doubtful of these. By majority the arms that are certified already come first.
	Top []int

	// Verifying has the arms that the certified strategy still compares with the leader directly.
	Verifying []int

	// Model describes whether the answers fit the model, if the strategy checks that. While they refute it nothing is certified.
	Model checks.Finding

	// Misfits has the arms that were picked significantly more or less often than the model predicts.
	// A linear certificate may be wrong about them.
	Misfits []Misfit

	// Outside compares the arms with none of them, where respondents may answer that. Majority evidence does not.
	Outside Outside

	// Cycle has arms each of which people seem to choose over the one before, and the first over the
	// last: then no arm is a clear favourite. Only majority evidence sets it. That there is a cycle is
	// certified where the status is Cyclic; which arms are on it is an estimate.
	Cycle []int

	// Assumption is what the certificate rests on, or will rest on.
	Assumption Assumption

	// Respondents counts the people whose hands have ended with an answer, where the strategy counts people, Answering people who
	// have answered and whose hands are open, Arrived all who were dealt a hand, and Finished people who answered all of it.
	Respondents int
	Answering   int
	Arrived     int
	Finished    int

	// Proven is what majority evidence shows at any time, decided or not. Partial reports that it rests on
	// answers that do not order all arms they show, so that it is about the questions as they were asked
	// and not about two arms alone. Missing, at a certificate by majority, is the largest weight with which
	// every comparison that people left unanswered may count for the rival: at 1 all of them. Withstands is how
	// many of the people may have been fake there, at least as many as the settings say.
	Proven  Proven
	Partial bool
	Missing float64

	Withstands int

	// Doubts are about the assumptions of majority evidence. A certificate with doubts stands, and its reader should know them.
	Doubts []Doubt

	// FirstChoice estimates, by the model, the share of people who would choose the leader among all arms.
	// It is 0 where the strategy does not say.
	FirstChoice float64

	// Segments has a verdict about each declared segment, and SegmentsDiffer reports that with probability 1 − δ no arm is
	// majority-best within ε in all of them. Only majority evidence sets them. With probability at most δ any verdict about a
	// segment is wrong, and with at most δ each the verdict that they differ, and that about all people.
	Segments       []SegmentVerdict
	SegmentsDiffer bool
}

// Proven says that with probability 1 − δ no other arm is chosen over an arm by more than a share of the people. It holds at
// all times at once, and while the arms stay the same the share never grows.
type Proven struct {
	Arm   int     `json:"arm"`
	Share float64 `json:"share"` // 0 if nothing is proven yet
}

// The doubts about majority evidence.
const (
	FewPeople = "people"  // too few people to show whether later ones choose otherwise
	Drift     = "drift"   // later people choose otherwise
	Leavers   = "leavers" // people who leave early choose otherwise
	Skips     = "skips"   // people who skip comparisons choose otherwise
	Slates    = "slates"  // people choose otherwise where more than two arms are shown
	FewSlates = "few"     // too few people to show whether that is so, where every ranking shows all arms
)

// A Doubt is evidence against an assumption of majority evidence. Each kind is raised in at most one of five studies without a
// reason, at any one moment, and far fewer in simulations.
type Doubt struct {
	About string `json:"about"`

	// Evidence is the log of the evidence, where Chosen is the share of some people who choose the rival over
	// the arm, and Otherwise that of others: later and earlier people, people who left and people who stayed,
	// people who skipped and people who did not, answers to pairs and to larger questions. People counts the
	// former, or all people for [FewPeople] and [FewSlates].
	Evidence  float64 `json:"evidence,omitempty"`
	Arm       int     `json:"arm,omitempty"`
	Rival     int     `json:"rival,omitempty"`
	Chosen    float64 `json:"chosen,omitempty"`
	Otherwise float64 `json:"otherwise,omitempty"`
	People    int     `json:"people"`
}

// Raised reports whether answers speak against an assumption, not only that too few check it.
func (d Doubt) Raised() bool { return d.About != FewPeople && d.About != FewSlates }

// A SegmentVerdict is the current result about the people of one segment.
type SegmentVerdict struct {
	Segment     string   `json:"segment"`
	Status      Status   `json:"status"`
	Leader      int      `json:"leader"`               // −1 before an arm is nominated
	Contenders  []int    `json:"contenders,omitempty"` // arms not refuted, the leader first
	Others      int      `json:"others,omitempty"`     // further contenders, where there are too many to list
	Respondents int      `json:"respondents"`          // complete ones
	Answered    int      `json:"answered"`             // their answers
	Forecast    Forecast `json:"forecast,omitzero"`    // of answers of this segment, if it were asked about its leader
}

// A Misfit is an arm whose features do not explain how often it was picked.
type Misfit struct {
	Arm      int     `json:"arm"`
	Picked   float64 `json:"picked"`
	Expected float64 `json:"expected"` // picks, by the model
}

// A Standing describes an arm that is not eliminated.
type Standing struct {
	Arm int `json:"arm"`

	// Evidence is a lower bound on the log of the evidence against the hypothesis that this arm is
	// better than the leader by more than ε. At log(1/δ) the arm is eliminated.
	Evidence float64 `json:"evidence"`

	// Lead is the leader's estimated lead in utility. The true leads of all arms lie between Low
	// and High, at all looks at once, with probability 1 − δ.
	Lead float64 `json:"lead"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	// Chosen is the estimated share of people who choose this arm over the leader, and Compared the
	// number of people who compared the two. Only majority evidence sets them.
	Chosen   float64 `json:"chosen,omitempty"`
	Compared int     `json:"compared,omitempty"`
}

// An Elimination counts the arms other than the leader.
type Elimination struct {
	Eliminated int // arms that the strategy's bound excludes from being better than the leader by more than ε
	Rivals     int // arms that may still be better
}

// NewElimination returns the elimination with a number of rivals left among the arms of a catalogue, of which some are
// withdrawn. In a product it counts the profiles that differ from the leader in one group, because these decide.
func NewElimination(c *choice.Catalogue, withdrawn, rivals int) Elimination {
	others := c.Len() - 1 - withdrawn
	if product := c.Product(); product != nil {
		others = len(product.Changes(0)) // as many for every profile
	}
	return Elimination{Eliminated: max(0, others-rivals), Rivals: rivals}
}

// NewProgress returns how far a race has come that needs a log of evidence against every rival. Nine tenths are the share of it
// that there is: on average over all rivals, and against the most doubtful one, in equal parts. The first answers, which find
// out whom to compare, are one tenth. A race keeps the largest value so far.
func NewProgress(e Elimination, standings []Standing, needed float64, answered int) float64 {
	const first = 0.1
	all, sum, least := max(1, float64(e.Eliminated+e.Rivals)), float64(e.Eliminated), 1.0
	for _, s := range standings {
		share := min(max(s.Evidence/needed, 0), 1)
		sum, least = sum+share, min(least, share)
	}
	if e.Rivals > len(standings) { // an unlisted rival has no evidence against it
		least = 0
	}
	return first*float64(answered)/(float64(answered)+all) + (1-first)*(sum/all+least)/2
}

// A Forecast estimates how many more answers are needed. TestLongShownForecast and TestLongMajorityForecast measure how often
// the range that is shown holds.
type Forecast struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`  // with High, an interval that holds the number
	High   float64 `json:"high"` // in four of five studies

	// Known is false, and the other fields are zero, while there is no forecast.
	Known bool `json:"known"`

	// Hopeless reports that finding the best arm, for any ε, is likely to take more than any
	// reasonable budget: a hundred thousand answers.
	Hopeless bool `json:"hopeless"`

	// Epsilon is the ε that twice the current number of answers would certify.
	Epsilon float64 `json:"epsilon"`
}

// forecastLimit is the largest number of answers in a forecast for presentation. Beyond it the forecast's model is not reliable.
const forecastLimit = 1e7

const (
	// widest is the largest ratio of the ends of a range that is shown.
	widest = 3

	// unaffordable is the number of further answers that make a study hopeless if even the lower end of the range is above it.
	unaffordable = 5e3
)

// Shown returns the forecast for presentation after a number of answers. It depends on nothing else, so logs keep the original,
// which can be replayed.
//
// There is no forecast while more answers are expected than there are: such forecasts change several-fold from one look to the
// next. The total number of answers, those so far plus Low to High, spans at most a factor of three. Hopeless and Epsilon are
// always shown; Hopeless only if Low is at least 5,000. Numbers above [forecastLimit] are 0, for "more than that".
func (f Forecast) Shown(answered int) Forecast {
	f.Hopeless = f.Hopeless && f.Low >= unaffordable
	t := float64(answered)
	if f.Median > t {
		return Forecast{Hopeless: f.Hopeless, Epsilon: f.Epsilon}
	}
	f.High = min(f.High, widest*(t+f.Low)-t)
	for _, n := range []*float64{&f.Median, &f.Low, &f.High} {
		if *n > forecastLimit {
			*n = 0
		}
	}
	return f
}

// A Rank describes an arm in the leaderboard. With probability 1 − δ the statements of all ranks hold, at all looks at once;
// under [Linear] the certificate holds with them.
type Rank struct {
	Arm int `json:"arm"`

	// Utility is the estimated utility of the arm minus the leader's, because only differences matter.
	// The true difference lies between Low and High. Under [Majority], where there are no utilities, these
	// are the log odds of the share of people who choose the arm over the leader.
	Utility float64 `json:"utility"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`

	// First and Last bound the true rank, which is one more than the number of arms with a larger utility.
	// The leader ranks before arms of the same utility.
	First int `json:"first"`
	Last  int `json:"last"`

	// Out reports that the arm is not best, within ε: the intervals of some leaderboard of the study, with the same
	// arms, show that another arm is better by more than ε, or as many as are certified together. It stays so.
	Out bool `json:"out,omitempty"`
}

// A Share is the share of choices between an arm and the leader in which the arm is picked, under [Majority] of people who
// choose it.
type Share struct{ Estimate, Low, High float64 }

// Share returns the share of the arm against the leader: σ(u) for a difference u in utility.
func (r Rank) Share() Share {
	return Share{logistic(r.Utility), logistic(r.Low), logistic(r.High)}
}

func logistic(u float64) float64 { return 1 / (1 + math.Exp(-u)) }

// Outside has the arms that are certainly better or worse than the outside option, "none of these". With probability 1 − δ all
// of it is true, at any time and together with the verdict. Arms in neither list are undecided, which the strategy does not
// wait for.
type Outside struct {
	Offered bool  `json:"offered"`          // otherwise there is nothing to compare with
	Better  []int `json:"better,omitempty"` // in the order in which that was certified
	Worse   []int `json:"worse,omitempty"`
}

// Decided reports whether an arm is in one of the lists.
func (o Outside) Decided(arm int) bool {
	return slices.Contains(o.Better, arm) || slices.Contains(o.Worse, arm)
}

// Clone returns a copy.
func (o Outside) Clone() Outside {
	o.Better, o.Worse = slices.Clone(o.Better), slices.Clone(o.Worse)
	return o
}
