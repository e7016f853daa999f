package strategy

import (
	"errors"

	"bestpick/choice"
)

// A Strategy finds the best arm by asking. It is deterministic: the same catalogue, settings, seed
// and sequence of calls give the same questions and verdicts. Recovery is replay; a snapshot only
// makes it faster.
//
// A Strategy is not safe for concurrent use.
type Strategy interface {
	// Ask returns the next question. It may be called again before earlier questions are answered.
	// It returns [ErrWaiting] when the next question depends on outstanding answers, and
	// [ErrStopped] after the strategy has decided; then the call changes nothing. The caller must not
	// change the question.
	Ask() (choice.Question, error)

	// Tell counts the answer to an outstanding question; answers may come in any order. Tell
	// rejects an invalid answer, and one to a question that is not outstanding, without changing
	// anything. After the decision it accepts answers, which no longer change the decision.
	Tell(answer choice.Answer) error

	// Lose reports that an outstanding question will never be answered.
	Lose(question choice.Question) error

	// Verdict returns the state of knowledge. It is cheap.
	Verdict() Verdict
}

// A Snapshotter is a strategy whose state can be saved. Restored from it, a strategy behaves exactly like this one.
type Snapshotter interface {
	Strategy

	// Snapshot returns the state.
	Snapshot() ([]byte, error)
}

// MaxK is the largest number of arms in a question: more than a respondent can choose between.
const MaxK = 1000

// A Finisher is a strategy that counts the answers of a respondent together.
type Finisher interface {
	// Finish reports that a respondent is complete. Their answers count from then on.
	Finish(respondent string) error
}

// The errors that Ask, Tell and Lose return besides those about invalid answers.
var (
	ErrWaiting  = errors.New("strategy: the next question waits for answers")
	ErrStopped  = errors.New("strategy: the decision is made")
	ErrNotAsked = errors.New("strategy: the question was not asked, or is already answered")
)
