package study

import (
	"fmt"
	"slices"
)

// A State says what can happen to a study.
//
//	draft ──► open ⇄ paused
//	            │       │
//	            └───────┴──► done ──► open
//
// A draft can be changed in every way; nobody is asked. An open study asks. A paused one does
// not, but takes answers to questions that are out. A done one is over: certified, stopped by
// its owner, or its budget spent. If answers are erased on which that rests it may be opened again.
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
	Stopped   Reason = "stopped"
	Spent     Reason = "spent"
	Lapsed    Reason = "lapsed" // it was over for a reason that does not hold without answers that were erased
)

// Next returns an error unless a study may go from one state to another.
func (s State) Next(to State) error {
	allowed := map[State][]State{Draft: {Open}, Open: {Paused, Done}, Paused: {Open, Done}}
	if slices.Contains(allowed[s], to) {
		return nil
	}
	return &Error{Code: CodeWrongState, Message: fmt.Sprintf("a study that is %s cannot become %s", s, to)}
}
