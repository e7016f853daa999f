package strategy

import (
	"fmt"

	"bestpick/checks"
)

// A Status is the phase of a strategy.
type Status int

const (
	// Asking means that more answers are needed.
	Asking Status = iota

	// Decided means that the strategy has stopped by its own rule. It does not mean that the
	// leader is certified to be best.
	Decided

	// Certified means that the strategy has stopped, and that with probability 1 − δ no arm is
	// better than the leader by more than ε.
	Certified

	// Cyclic means that the strategy has stopped, and that with probability 1 − δ every arm loses to
	// another by more than ε: there is no favourite. Only majority evidence shows that. The leader is
	// then the arm that seems to lose least.
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

	// Elimination reports how many of the other arms are eliminated.
	Elimination Elimination

	// Standings describes each contender but the leader, and Forecast how many more answers the
	// strategy expects to need. Only the certified strategy sets them.
	Standings []Standing
	Forecast  Forecast

	// Top has the arms that look best, where the strategy certifies several together or a ranking of all:
	// in the order of their estimated utilities. Then Contenders has the leader and the arms that may still
	// belong above one that is ranked above them, and the certificate says that no arm does, by more than
	// ε. Of fewer than all arms the order is not certified, only which they are. Standings are then against
	// the most doubtful of these.
	Top []int

	// Verifying has the arms that the certified strategy still compares with the leader directly.
	Verifying []int

	// Model describes whether the answers fit the model, if the strategy checks that. While they
	// refute it nothing is certified.
	Model checks.Finding

	// Misfits has the arms that were picked significantly more or less often than the model predicts.
	// A linear certificate may be wrong about them.
	Misfits []Misfit

	// Outside compares the arms with none of them, where respondents may answer that. Majority
	// evidence does not.
	Outside Outside

	// Cycle has arms each of which people seem to choose over the one before, and the first over the
	// last: then no arm is a clear favourite. Only majority evidence sets it. That there is a cycle is
	// certified where the status is Cyclic; which arms are on it is an estimate.
	Cycle []int

	// Assumption is what the certificate rests on, or will rest on.
	Assumption Assumption

	// Respondents counts the people whose answers are complete, where the strategy counts them, and
	// Answering the people who have answered and are not complete yet.
	Respondents int
	Answering   int

	// Segments has a verdict about each declared segment, and SegmentsDiffer reports that with
	// probability 1 − δ no arm is majority-best within ε in all of them. Only majority evidence sets
	// them. The verdict about each segment, that they differ, and the verdict about all people are
	// each wrong with probability at most δ.
	Segments       []SegmentVerdict
	SegmentsDiffer bool
}

// A SegmentVerdict is the current result about the people of one segment.
type SegmentVerdict struct {
	Segment     string   `json:"segment"`
	Status      Status   `json:"status"`
	Leader      int      `json:"leader"`               // −1 before a respondent of the segment is complete
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
