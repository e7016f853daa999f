package study

import (
	"encoding/json"
	"time"
)

// A Position is the number of a question in a study's deck, from 0 on. Every question that was
// ever planned has one.
type Position int64

// A Kind says what became of a question.
type Kind string

// The kinds of outcomes. A question has one at a time: whichever comes first stands, but what
// was undone may be answered again.
const (
	Answered Kind = "answered"
	Skipped  Kind = "skipped" // the respondent could not decide; it is asked again
	Undone   Kind = "undone"  // taken back in time
	Lost     Kind = "lost"    // not answered in time; it is asked again

	// Imported is an answer to a question that was asked elsewhere.
	Imported Kind = "imported"

	// Erased is what is left of an outcome whose respondent wanted their data deleted: its number, its
	// position and the time of that.
	Erased Kind = "erased"
)

// Elsewhere is the position of questions that are not of the deck.
const Elsewhere Position = -1

// An Outcome is what became of a question. Outcomes are the log of a study: they are numbered
// in the order in which they were written, and never change, unless they are erased.
type Outcome struct {
	Number     int64     `json:"number"` // in the study, from 1 on, set by the store
	Position   Position  `json:"position"`
	Kind       Kind      `json:"kind"`
	Shown      []int     `json:"shown,omitempty"` // arms, in the order on the screen
	Picks      []int     `json:"picks,omitempty"` // slots of it, best first
	Respondent string    `json:"respondent,omitempty"`
	Segment    string    `json:"segment,omitempty"`
	Plan       int       `json:"plan,omitempty"` // the one that the question is of: the version of the deck
	Asked      time.Time `json:"asked,omitzero"`
	At         time.Time `json:"at"`
}

// A Plan is one step of the strategy: first it hears which arms have come or gone, then it is told
// the outcomes up to Upto that no plan has told it and that stand, then it is asked for the
// questions. Plans are numbered from 1 on.
//
// What the strategy knew of a respondent is in its state, so when that is erased all plans are removed,
// and one that begins afresh comes in their place. Numbers and positions go on.
//
// An answer that was taken back is never told, even where that comes after Upto: otherwise a plan
// could not tell anything while somewhere an answer is given and taken back, and in a busy study
// that is always so. Known says how far the log was looked through.
type Plan struct {
	Number    int             `json:"number"`
	Afresh    *Afresh         `json:"afresh,omitempty"`    // of the first after an erasure
	Arms      int             `json:"arms,omitempty"`      // how many of the catalogue there are from now on; 0 for as many as before
	Withdrawn []int           `json:"withdrawn,omitempty"` // arms that are not asked about from now on
	Upto      int64           `json:"upto"`                // the number of the last outcome told
	Known     int64           `json:"known"`               // no undo up to this number was overlooked
	First     Position        `json:"first"`               // of the questions
	Questions [][]int         `json:"questions"`           // may be none
	Verdict   json.RawMessage `json:"verdict"`
	Done      Reason          `json:"done,omitempty"` // the study is over with this plan
	At        time.Time       `json:"at"`

	// Version is that of the study as the planner knew it. A plan does not end a study that was
	// changed since. It is not kept.
	Version int `json:"-"`
}

// Erased is what is left of an outcome.
func (o Outcome) Erased(at time.Time) Outcome {
	return Outcome{Number: o.Number, Position: o.Position, Kind: Erased, At: at}
}

// Normal returns an outcome with its times as every store keeps them.
func (o Outcome) Normal() Outcome {
	o.Asked, o.At = micro(o.Asked), micro(o.At)
	return o
}

// Normal returns a plan with its time as every store keeps it.
func (p Plan) Normal() Plan {
	p.At = micro(p.At)
	return p
}

// micro returns a time in UTC to the microsecond.
func micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// An Afresh says how a plan begins anew: with a new strategy, which is told all outcomes that stand. Those
// of the questions of plans that were removed are told as answers to questions asked before.
type Afresh struct {
	// Arms is how many there were in the first plan of all. Those that have come since are heard of as such:
	// what made them come may be answers that are told now.
	Arms int `json:"arms"`

	// Seed is that of the new strategy: orders on the screen must not come again.
	Seed uint64 `json:"seed"`
}

// Begin returns a study as it is after a plan that came in place of those before.
func (p Plan) Begin(s Study) Study {
	s.Version++
	s.Changed = p.At
	if p.Afresh != nil {
		s.Afresh = p.Number
	}
	if p.Done != "" {
		s.State, s.Reason = Done, p.Done
	}
	return s
}
