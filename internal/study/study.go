// Package study has the types of live studies: many respondents at once, answers that are never lost
// once they are acknowledged, and a verdict that can be recomputed from the log.
//
// Everything a strategy does happens in plans. A plan tells it the answers that have come in, asks it for
// questions, and is written to the log atomically: which answers were told, in which order, the questions,
// and the verdict. A study has one planner at a time, across processes, so the strategy's state is a
// function of the log, and replaying the plans gives the same questions and the same verdict. Between
// plans no respondent waits for mathematics: questions are dealt from the deck, and outcomes are written
// as they come.
//
// The subpackages run studies: dispatch serves respondents, planning plans, replay repeats, overview
// reports, owner changes; live is their shared memory, and wiring puts them together.
package study

import (
	"time"

	"bestpick/strategy/racing"
)

// A Study is what its owner has set up, and where it stands.
type Study struct {
	ID        string    `json:"id"`   // unguessable: whoever has it may answer, unless there is a panel
	Name      string    `json:"name"` // for its owner
	Prompt    string    `json:"prompt"`
	Settings  Settings  `json:"settings"`
	Arms      int       `json:"arms"`                // in the catalogue
	Withdrawn []int     `json:"withdrawn,omitempty"` // arms that are not asked about any more
	Imported  bool      `json:"imported,omitempty"`  // answers from elsewhere are about these arms and this model, which stay
	Panel     bool      `json:"panel,omitempty"`     // only members of its panel may answer, of whom there may be none
	State     State     `json:"state"`
	Reason    Reason    `json:"reason,omitempty"` // why it is done
	Afresh    int       `json:"afresh,omitempty"` // the number of the first plan, where those before were removed
	Version   int       `json:"version"`          // grows with every change, so that none is lost
	Created   time.Time `json:"created"`
	Changed   time.Time `json:"changed"`
}

// Settings say how a study is run.
type Settings struct {
	Strategy racing.Settings `json:"strategy"`

	// Picks is how many of the arms shown are ranked. Default 1.
	Picks int `json:"picks"`

	// Budget ends the study after so many answers. Default none.
	Budget int `json:"budget,omitempty"`

	// Each is how many questions one respondent may answer or skip. Defaults to NoLimit.
	Each int `json:"each,omitempty"`

	// Plain has respondents see of an arm its picture, label and description, and not its attributes.
	Plain bool `json:"plain,omitempty"`

	// Lease is how long a respondent may take to answer a question, at most MaxLease. Defaults to
	// five minutes.
	Lease time.Duration `json:"lease"`

	// Grace is how long an answer can be taken back, at most MaxGrace; it is counted after that.
	// Defaults to ten seconds; negative for none.
	Grace time.Duration `json:"grace"`
}

// WithDefaults returns the settings with every zero field at its default.
func (s Settings) WithDefaults() Settings {
	s.Strategy = s.Strategy.WithDefaults()
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

// Next returns an error unless a study may go to a state.
func (s Study) Next(to State) error {
	if s.Reason == Lapsed && to == Open {
		return nil
	}
	return s.State.Next(to)
}
