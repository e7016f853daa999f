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

// MinSession is how long a respondent's session lasts at least, see [Sessions].
const MinSession = 30 * time.Minute

// Sessions says when respondents are complete, in a study with majority evidence: their answers are
// held back until then, and later ones are no evidence. The rule never depends on what a respondent
// picks. A respondent is complete
//
//   - as soon as PerRespondent questions of theirs are answered or skipped,
//   - when Length has passed since their first outcome; a plan that ends sessions says which, and
//   - when the study has spent its budget, or reached its deadline.
//
// PerRespondent and Length are the smallest values that the study has had. So after a change, or when all
// outcomes are counted again, no answer counts that followed the completion of its respondent.
type Sessions struct {
	PerRespondent int           `json:"each,omitempty"` // NoLimit for no limit
	Length        time.Duration `json:"length"`

	// Until ends the sessions whose first outcome is not later, after the outcomes of the plan are
	// counted. All ends all sessions.
	Until time.Time `json:"until,omitzero"`
	All   bool      `json:"all,omitempty"`
}

// Sessions returns the rule of a study with these settings, after an earlier rule; nil if there is
// none.
func (s Settings) Sessions(earlier *Sessions) *Sessions {
	next := Sessions{PerRespondent: s.PerRespondent, Length: max(MinSession, s.Lease)}
	if earlier == nil {
		return &next
	}
	if next.PerRespondent == NoLimit || earlier.PerRespondent != NoLimit && earlier.PerRespondent < next.PerRespondent {
		next.PerRespondent = earlier.PerRespondent
	}
	next.Length = min(next.Length, earlier.Length)
	return &next
}

// End returns the rule for a plan that ends the sessions that are over at a time, or all.
func (s Sessions) End(now time.Time, all bool) Sessions {
	s.Until, s.All = micro(now.Add(-s.Length)), all
	return s
}
