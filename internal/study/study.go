// Package study has the types of live studies: many concurrent respondents, acknowledged answers
// that are never lost, and a verdict that can be recomputed from the log.
//
// The strategy advances in plans. A plan tells it the new answers, asks it for questions, and is written to the log atomically:
// the counted answers in order, the questions, and the verdict. A study has one planner at a time, across processes, so the
// strategy's state is a function of the log, and replaying the plans gives the same questions and the same verdict. No respondent
// waits for a computation: questions are dealt from the deck, and outcomes are written as they arrive.
//
// The subpackages run studies: dispatch serves respondents, planning plans, replay recomputes, overview reports, and owner
// changes studies; live is their shared memory, and wiring assembles them.
package study

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"bestpick/checks"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A Study is the owner's setup of a study and its current state.
type Study struct {
	ID          string            `json:"id"`   // unguessable
	Name        string            `json:"name"` // for its owner
	Prompt      string            `json:"prompt"`
	Request     string            `json:"request,omitempty"` // hash of the request that created it, if it had an idempotency key
	Settings    Settings          `json:"settings"`
	Arms        int               `json:"arms"`                // in the catalogue
	Withdrawn   []int             `json:"withdrawn,omitempty"` // arms that are no longer asked about
	Excluded    []int64           `json:"excluded,omitempty"`  // people whom the owner excluded: the numbers of their arrivals
	Page        Presentation      `json:"page,omitzero"`
	Profile     []ProfileQuestion `json:"profile,omitempty"`
	Public      string            `json:"public,omitempty"`   // the key of the public results link; empty without one
	Imported    bool              `json:"imported,omitempty"` // the study has imported answers, which fix arms and model
	State       State             `json:"state"`
	Reason      Reason            `json:"reason,omitempty"` // why it is done
	Ended       time.Time         `json:"ended,omitzero"`   // when it was done
	Salt        string            `json:"salt,omitempty"`   // of pseudonyms, see [Outcome.Sealed]; empty once names are removed
	Unnamed     time.Time         `json:"unnamed,omitzero"` // when the removal of names began
	RestartPlan int               `json:"afresh,omitempty"` // number of the first plan after an erasure
	Version     int               `json:"version"`          // grows with every change, so that no change is lost
	Created     time.Time         `json:"created"`
	Changed     time.Time         `json:"changed"`
}

// Settings configure a study.
//
// Their JSON is part of digests in logs: new fields must be omitted when they are zero, also those of
// [racing.Settings], or kept logs no longer verify.
type Settings struct {
	Strategy racing.Settings `json:"strategy"`

	// Picks is the number of shown arms that a respondent ranks, at most all but one. Defaults to 1; new studies have
	// [racing.Settings.DefaultPicks].
	Picks int `json:"picks"`

	// Budget ends the study after this number of answers. Defaults to no limit.
	Budget int `json:"budget,omitempty"`

	// Deadline ends the study at this time. Defaults to none.
	Deadline time.Time `json:"deadline,omitzero"`

	// PerRespondent is the number of questions that one respondent may answer or skip. Defaults to NoLimit.
	PerRespondent int `json:"each,omitempty"`

	// Judges says that the verdict is about the people who answer, on the mix of contexts, and not about the population that they
	// come from: every answer is an observation, because its context is a new draw. Defaults to a verdict about people.
	Judges bool `json:"judges,omitempty"`

	// LeastPeople and LeastDays are how many people must have answered, and on how many days (UTC), before
	// the study can end with a certificate. Until then it goes on asking. People are not counted where the
	// verdict is about judges. Defaults to no minimum; see [DefaultLeastPeople].
	LeastPeople int `json:"least_people,omitempty"`
	LeastDays   int `json:"least_days,omitempty"`

	// Rules say what is no evidence. They are fixed when the study is opened. Defaults to none; new studies have
	// [checks.UsualRules]. They do not apply to judges.
	Rules checks.Rules `json:"rules,omitzero"`

	// Audience says who may answer. Defaults to anyone with the link.
	Audience Audience `json:"audience,omitempty"`

	// Notes lets answers have a rationale and metadata, as those of judges always may. Defaults to neither.
	Notes bool `json:"notes,omitempty"`

	// Retention is the number of days after the end of the study when names, notes and profiles are removed, see
	// [Study.NamesDue]. It may change at any time, and is no part of digests. Defaults to never.
	Retention int `json:"retention_days,omitempty"`

	// HideAttributes shows respondents the picture, label and description of an arm, but not its attributes.
	HideAttributes bool `json:"plain,omitempty"`

	// Lease is how long a respondent may take to answer a question, at most MaxLease. Defaults to five minutes.
	Lease time.Duration `json:"lease"`

	// Grace is how long an answer can be undone, at most MaxGrace; then it is counted. Defaults to
	// ten seconds; negative for none.
	Grace time.Duration `json:"grace"`
}

// An Audience says who may answer, and so where the names of respondents come from.
type Audience string

// The audiences.
const (
	Anyone    Audience = ""         // with the link; the server names them
	PlainIDs  Audience = "ids"      // every link has an id, as crowd platforms make them (?pid=), which is not checked
	SignedIDs Audience = "signed"   // the id is signed with the study's key (?sig=)
	Personal  Audience = "personal" // members of the panel, with the key in their link
)

// String returns the audience as in JSON over the wire, where it is never empty.
func (a Audience) String() string { return cmp.Or(string(a), "link") }

// Audiences returns all audiences.
func Audiences() []Audience { return []Audience{Anyone, PlainIDs, SignedIDs, Personal} }

// ParseAudience returns the audience that String returns as text. It reports false if there is none.
func ParseAudience(text string) (Audience, bool) {
	i := slices.IndexFunc(Audiences(), func(a Audience) bool { return a.String() == text })
	if i < 0 {
		return "", false
	}
	return Audiences()[i], true
}

// HasIDs reports whether every link has an id, which is the respondent's name.
func (a Audience) HasIDs() bool { return a == PlainIDs || a == SignedIDs }

// WithDefaults returns the settings with every zero field at its default, and the deadline in whole seconds.
func (s Settings) WithDefaults() Settings {
	s.Strategy = s.Strategy.WithDefaults()
	s.Deadline = s.Deadline.UTC().Truncate(time.Second)
	if s.Picks == 0 {
		s.Picks = 1
	}
	if s.Lease == 0 {
		s.Lease = 5 * time.Minute
	}
	if s.Grace == 0 {
		s.Grace = 10 * time.Second
	}
	return s
}

// Assumption returns what a certificate of the study rests on.
func (s Settings) Assumption() strategy.Assumption { return cmp.Or(s.Strategy.Assume, strategy.Linear) }

// Choices returns the number of recorded choices in the prior, 0 without one.
func (s Settings) Choices() int {
	if s.Strategy.Prior == nil {
		return 0
	}
	return int(s.Strategy.Prior.Picks)
}

// AsOf returns the study at a time: done if its deadline has passed.
func (s Study) AsOf(now time.Time) Study {
	if (s.State == Open || s.State == Paused) && s.Settings.Overdue(now) {
		s.State, s.Reason, s.Ended = Done, Expired, s.Settings.Deadline
	}
	return s
}

// Overdue reports whether the deadline has passed.
func (s Settings) Overdue(now time.Time) bool {
	return !s.Deadline.IsZero() && !now.Before(s.Deadline)
}

// NamesDue reports whether names are to be removed now: the time after the end has passed, or the removal has begun.
func (s Study) NamesDue(now time.Time) bool {
	days := s.Settings.Retention
	passed := s.State == Done && days > 0 && !now.Before(s.Ended.AddDate(0, 0, days))
	return s.Salt != "" && (passed || !s.Unnamed.IsZero())
}

// Reopens reports whether a study that is done may be opened again, unless its last verdict is decided: it was stopped or has
// reached a limit, or the reason has lapsed. Without names, a person who comes again would be counted twice.
func (s Study) Reopens() bool {
	return s.State == Done && s.Unnamed.IsZero() && (s.Reason == Lapsed || s.Reason == Spent || s.Reason.Closed())
}

// NotOpen returns the error of a study that is not open.
func (s Study) NotOpen() error {
	switch {
	case s.State == Draft:
		return &Error{Code: CodeDraft, Message: "the study is a draft, which has not been opened yet"}
	case s.State == Paused:
		return &Error{Code: CodePaused, Message: "the study is paused and may continue later"}
	case s.Reason == Lapsed:
		return &Error{Code: CodeLapsed, Message: "the study has ended, but the reason no longer holds; its owner may open it again"}
	}
	return &Error{Code: CodeDone, Message: "the study is done"}
}

// Next returns an error unless the study may change to a state. Whether a study that is done may be
// opened also depends on its verdict.
func (s Study) Next(to State) error {
	if s.Reopens() && to == Open {
		return nil
	}
	return s.State.Next(to)
}

// A State is a stage in the life of a study.
//
//	draft ──► open ⇄ paused
//	            │       │
//	            └───────┴──► done ──► open
//
// The owner can change everything in a draft, which asks no questions. An open study asks questions. A paused one does not, but
// accepts answers to open questions. A done study was certified or stopped by its owner, or has spent its budget or reached its
// deadline. It may be opened again if nothing was decided, or if an erasure removes answers that this rests on.
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

// Closed reports whether the owner has closed the study, by hand or by its deadline. One more plan then counts the last answers.
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
