package study

import (
	"time"
)

// An Observer is told what a service does, to count it. It must be quick.
type Observer interface {
	// Recorded is told the kind of every outcome that was acknowledged.
	Recorded(kind Kind)

	// Planned is told every plan that was written.
	Planned(p Planned)

	// Discarded is told the id of a study when a plan was computed in vain: another planner has taken over, or
	// an answer in it was undone, or a respondent erased, at the last moment.
	Discarded(id string)

	// Left is told the id of a study that this process has nothing to do with any more: it is over, or
	// the process stops.
	Left(id string)
}

// A Planned is what there is to say of a plan.
type Planned struct {
	Study    string // its id
	Verdict  Verdict
	Evidence float64 // the least against a contender, as a share of what refutes it
	Deck     int     // questions that nobody has claimed
	Took     time.Duration
}

// Unobserved ignores everything.
type Unobserved struct{}

// Recorded does nothing.
func (Unobserved) Recorded(Kind) {}

// Planned does nothing.
func (Unobserved) Planned(Planned) {}

// Discarded does nothing.
func (Unobserved) Discarded(string) {}

// Left does nothing.
func (Unobserved) Left(string) {}
