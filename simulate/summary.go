package simulate

import (
	"math"
	"slices"

	"bestpick/checks"
	"bestpick/evidence"
	"bestpick/strategy"
)

// A Summary aggregates many runs.
type Summary struct {
	Runs      int
	Stopped   int                  // runs that ended by their stopping rule
	Correct   int                  // runs whose leader is a best arm
	Certified int                  // runs with a certificate
	Wrong     int                  // certified runs whose leader is not a best arm
	Refuted   int                  // runs whose answers refute the model
	By        map[checks.Check]int // the check with most evidence in the refuted runs
	Questions Spread
	People    Spread // respondents

	// MajorityWrong counts the certified runs whose leader loses to another arm by more than ε, and
	// ByMajority those whose certificate rests on majority evidence.
	MajorityWrong int
	ByMajority    int

	// Doubtful counts the certified runs with a doubt about the assumptions of majority evidence, see
	// [strategy.Doubt], other than that there are few people.
	Doubtful int

	// Cyclic counts the runs that certify that there is no favourite, and CyclicWrong those of them with
	// people who have one.
	Cyclic      int
	CyclicWrong int

	// CertifiedEpsilon is over the runs that state the smallest certified ε, Stated of them. Holds counts
	// those in which no arm is better than the leader by more than that.
	CertifiedEpsilon Spread
	Stated           int
	Holds            int

	// Ranked counts the runs with a leaderboard, and Covered those of them whose intervals and ranges of
	// ranks all hold.
	Ranked  int
	Covered int

	Segments       []SegmentSummary // as declared
	SegmentsDiffer int              // runs that certify that segments have no favourite in common

	Outside *OutsideSummary // nil where none of the arms is not offered

	Share map[int]float64 // of the slots that showed each arm
}

// A SegmentSummary aggregates the verdicts about a segment.
type SegmentSummary struct {
	Segment    string
	Certified  int         // runs with a certificate for the segment
	Favourites map[int]int // how many runs certify each arm
}

// A Spread describes a sample of numbers.
type Spread struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	SE   float64 `json:"se"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Summarise aggregates runs.
func Summarise(runs []Run) Summary {
	s := Summary{Runs: len(runs), By: map[checks.Check]int{}}
	if len(runs) == 0 {
		return s
	}
	questions, people := make([]float64, len(runs)), make([]float64, len(runs))
	s.Share = map[int]float64{}
	slots := 0.0
	for i, run := range runs {
		questions[i], people[i] = float64(run.Questions), float64(run.People)
		if run.Stopped {
			s.Stopped++
		}
		if run.Correct {
			s.Correct++
		}
		s.certify(run)
		s.addSegments(run)
		s.addRanks(run)
		s.addOutside(run)
		if run.Model.Status == checks.Refuted {
			s.Refuted++
			s.By[run.Model.Check]++
		}
		for arm, shown := range run.Shown {
			s.Share[arm] += float64(shown)
			slots += float64(shown)
		}
	}
	for arm := range s.Share {
		if slots > 0 {
			s.Share[arm] /= slots
		}
	}
	s.Questions, s.People = SpreadOf(questions), SpreadOf(people)
	s.addStated(runs)
	return s
}

// addSegments counts the verdicts about the segments of a run.
func (s *Summary) addSegments(run Run) {
	if run.SegmentsDiffer {
		s.SegmentsDiffer++
	}
	for i, v := range run.Segments {
		if i == len(s.Segments) {
			s.Segments = append(s.Segments, SegmentSummary{Segment: v.Segment, Favourites: map[int]int{}})
		}
		if v.Status == strategy.Certified {
			s.Segments[i].Certified++
			s.Segments[i].Favourites[v.Leader]++
		}
	}
}

// addStated describes the smallest certified ε of the runs that state it.
func (s *Summary) addStated(runs []Run) {
	var stated []float64
	for _, run := range runs {
		if math.IsNaN(run.CertifiedEpsilon) {
			continue
		}
		if stated = append(stated, run.CertifiedEpsilon); run.Holds {
			s.Holds++
		}
	}
	if s.Stated = len(stated); s.Stated > 0 {
		s.CertifiedEpsilon = SpreadOf(stated)
	}
}

// addRanks counts a run with a leaderboard.
func (s *Summary) addRanks(run Run) {
	if run.Leaderboard == nil {
		return
	}
	if s.Ranked++; run.Covered {
		s.Covered++
	}
}

// certify counts a run with a certificate.
func (s *Summary) certify(run Run) {
	if run.Cyclic {
		if s.Cyclic++; run.Favourite {
			s.CyclicWrong++
		}
	}
	if !run.Certified {
		return
	}
	if s.Certified++; !run.Correct {
		s.Wrong++
	}
	if !run.Majority {
		s.MajorityWrong++
	}
	if run.Assumption == strategy.Majority {
		s.ByMajority++
	}
	if slices.ContainsFunc(run.Doubts, strategy.Doubt.Raised) {
		s.Doubtful++
	}
}

// SpreadOf describes a sample of at least one number. The standard deviation of one
// number is zero.
func SpreadOf(xs []float64) Spread {
	s := Spread{Min: math.Inf(1), Max: math.Inf(-1)}
	n := float64(len(xs))
	for _, x := range xs {
		s.Mean += x / n
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	}
	if len(xs) < 2 {
		return s
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - s.Mean) * (x - s.Mean)
	}
	s.SD = math.Sqrt(sum / (n - 1))
	s.SE = s.SD / math.Sqrt(n)
	return s
}

// rounding is the error of differences of utilities that is not counted.
const rounding = 1e-9

// Lead returns the true utility of an arm minus that of another. Under majority, where people differ, it is the
// log odds with which they choose the arm over the other.
func (i Instance) Lead(arm, other int, under strategy.Assumption) float64 {
	if under == strategy.Majority && i.Chosen != nil && arm != other {
		return evidence.LogOdds(i.Chosen[other][arm])
	}
	return i.utility(arm) - i.utility(other)
}

// Covers reports whether all intervals of a leaderboard contain the true leads over the leader, and all ranges of
// ranks the true ranks: one more than the number of arms in the leaderboard with larger leads, where the leader
// ranks before arms with the same.
func (i Instance) Covers(ranks []strategy.Rank, leader int, under strategy.Assumption) bool {
	for _, r := range ranks {
		truth := i.Lead(r.Arm, leader, under)
		if !(r.Low-rounding <= truth && truth <= r.High+rounding) {
			return false
		}
		rank := 1
		for _, other := range ranks {
			lead := i.Lead(other.Arm, leader, under) - truth
			if lead > rounding || other.Arm == leader && r.Arm != leader && lead >= -rounding {
				rank++
			}
		}
		if rank < r.First || rank > r.Last {
			return false
		}
	}
	return true
}

// IsTop reports whether no arm is better by more than epsilon than one that is ranked above it, up to the
// rounding of utilities: any other arm than one of top, and if top has all arms, than an earlier one.
func (i Instance) IsTop(top []int, epsilon float64) bool {
	place := make(map[int]int, len(top))
	for at, arm := range top {
		place[arm] = at
	}
	ranking := len(top) == i.Catalogue.Len()
	for at, above := range top {
		for arm := range i.Catalogue.Len() {
			other, inside := place[arm]
			if below := !inside || ranking && other > at; below && i.Lead(arm, above, strategy.Linear) > epsilon+rounding {
				return false
			}
		}
	}
	return true
}

// outsideWrong counts the arms that are not better, or not worse, than none of them as stated.
func (i Instance) outsideWrong(stated strategy.Outside) int {
	if i.Outside == nil {
		return 0
	}
	wrong := 0
	for _, arm := range stated.Better {
		if !(i.utility(arm) > *i.Outside) {
			wrong++
		}
	}
	for _, arm := range stated.Worse {
		if !(i.utility(arm) < *i.Outside) {
			wrong++
		}
	}
	return wrong
}

// An OutsideSummary aggregates what runs state about none of the arms.
type OutsideSummary struct {
	Better float64 `json:"better"` // arms certified to be better than none, on average over the runs
	Worse  float64 `json:"worse"`
	Leader int     `json:"leader"` // runs whose leader is certified to be better
	Wrong  int     `json:"wrong"`  // runs with a wrong statement
}

// addOutside counts what a run states about none of the arms.
func (s *Summary) addOutside(run Run) {
	if !run.Outside.Offered {
		return
	}
	if s.Outside == nil {
		s.Outside = &OutsideSummary{}
	}
	s.Outside.Better += float64(len(run.Outside.Better)) / float64(s.Runs)
	s.Outside.Worse += float64(len(run.Outside.Worse)) / float64(s.Runs)
	if slices.Contains(run.Outside.Better, run.Leader) {
		s.Outside.Leader++
	}
	if run.OutsideWrong > 0 {
		s.Outside.Wrong++
	}
}
