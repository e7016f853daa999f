package study

import (
	"fmt"
	"slices"
	"time"
)

// A State is a stage in the life of a study.
//
//	draft ──► open ⇄ paused
//	            │       │
//	            └───────┴──► done ──► open
//
// The owner can change everything in a draft, which asks no questions. An open study asks
// questions. A paused one does not, but accepts answers to open questions. A done study was
// certified or stopped by its owner, or has spent its budget or reached its deadline. It may be
// opened again if nothing was decided, or if an erasure removes answers that this rests on.
type State string

// The states.
const (
	Draft  State = "draft"
	Open   State = "open"
	Paused State = "paused"
	Done   State = "done"
)

// A Reason says why a study is done.
type Reason string

// The reasons.
const (
	Certified Reason = "certified"
	Refuted   Reason = "refuted" // the answers do not fit the model, so nothing can be certified
	Cyclic    Reason = "cyclic"  // it is certified that there is no favourite
	Stopped   Reason = "stopped"
	Spent     Reason = "spent"
	Expired   Reason = "expired" // the deadline has passed
	Lapsed    Reason = "lapsed"  // the reason no longer holds, because answers were erased
)

// Closed reports whether the owner has closed the study, by hand or by its deadline. One more plan
// then counts the last answers.
func (r Reason) Closed() bool { return r == Stopped || r == Expired }

// Next returns an error unless a study in state s may change to another state.
func (s State) Next(to State) error {
	allowed := map[State][]State{Draft: {Open}, Open: {Paused, Done}, Paused: {Open, Done}}
	if slices.Contains(allowed[s], to) {
		return nil
	}
	return &Error{Code: CodeWrongState, Message: fmt.Sprintf("a study in state %s cannot change to %s", s, to)}
}

// HandIdle is how long after its last answer a hand ends. The rule never depends on what a person picks.
const HandIdle = 5 * time.Minute

// UsualHand is the number of questions in a hand where a study does not limit the questions of a person.
const UsualHand = 10

// MaxHand is the number of questions in the largest hand.
const MaxHand = 1000

// HandSize returns how many questions a person is dealt on arrival: all that the study asks them, up to MaxHand.
// It is 0 if the study deals questions one by one, because its evidence is not about people.
func (s Settings) HandSize() int {
	switch {
	case !s.Strategy.CountsPeople():
		return 0
	case s.Judges:
		return 1
	case s.PerRespondent == NoLimit:
		return UsualHand
	}
	return min(s.PerRespondent, MaxHand)
}
