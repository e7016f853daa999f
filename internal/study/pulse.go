package study

import "time"

// A Pulse tells whether anything has happened in a study: every claim, outcome, plan and change raises one of its counters.
type Pulse struct {
	ID       string
	Shard    int
	Version  int       // of the study
	Outcomes int64     // number of the last outcome
	Claimed  int64     // questions claimed so far
	Plans    int       // number of the last plan
	Waiting  time.Time // earliest claim of a question without a standing outcome; zero if there is none
}

// Same reports whether nothing has happened between two pulses of a study.
func (p Pulse) Same(other Pulse) bool {
	p.Waiting, other.Waiting = time.Time{}, time.Time{}
	return p == other
}
