package study

import "time"

// An Observer receives the events of a service, to count them. Its methods must return quickly.
type Observer interface {
	// Recorded receives the kind of every acknowledged outcome.
	Recorded(kind Kind)

	// Planned receives every plan that was written.
	Planned(p Planned)

	// Discarded receives the id of a study whose computed plan was discarded: another planner took
	// over, an answer in the plan was undone, or a respondent was erased.
	Discarded(id string)

	// Attended receives the id of a study that this process begins to plan.
	Attended(id string)

	// Left receives the id of a study that this process no longer plans: the study is over, another
	// process plans it, or this process stops.
	Left(id string)
}

// A Planned describes a plan for an [Observer].
type Planned struct {
	Study    string // its id
	Verdict  Verdict
	Evidence float64 // least evidence against a contender, as a share of the evidence that refutes it
	Deck     int     // unclaimed questions
	Took     time.Duration
}

// Unobserved ignores all events.
type Unobserved struct{}

// Recorded does nothing.
func (Unobserved) Recorded(Kind) {}

// Planned does nothing.
func (Unobserved) Planned(Planned) {}

// Discarded does nothing.
func (Unobserved) Discarded(string) {}

// Attended does nothing.
func (Unobserved) Attended(string) {}

// Left does nothing.
func (Unobserved) Left(string) {}
