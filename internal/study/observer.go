package study

import (
	"math"
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

// nobody observes.
type nobody struct{}

func (nobody) Recorded(Kind)    {}
func (nobody) Planned(Planned)  {}
func (nobody) Discarded(string) {}
func (nobody) Left(string)      {}

// share returns the least evidence against a contender, as a share of what refutes it: 1 if there is no
// contender left.
func (v Verdict) share(delta float64) float64 { return v.Evidence(delta) / math.Log(1/delta) }
