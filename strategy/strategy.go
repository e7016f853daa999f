// Package strategy has whole algorithms for finding the best arm, as machines that
// are asked for questions and told answers. A strategy owns no loop, no clock and
// no input or output: its caller shows the questions to people, or to a simulated
// crowd, whenever and however many at a time it likes.
//
// [NewRacing] is the one to use: what it decides is certified. The others are those of "Pure
// Exploration with Structured Preference Feedback": [NewRandom] (RandAlloc), [NewStatic] (BAI-Lin-MNL), [NewAdaptive]
// (BAI-Lin-MNL-Adap) and, for pairs, [NewGLGapE] by Kazerouni and Wein, to which the
// paper compares. They stop by the paper's bound, whose assumptions do not hold at
// the paper's settings, so what they decide is not certified; docs/guarantee.md
// says what that is worth.
package strategy

import (
	"errors"

	"bestpick/checks"
	"bestpick/choice"
)

// A Strategy finds the best arm by asking. It is deterministic: the same catalogue,
// settings, seed and sequence of calls give the same questions and verdicts.
// Recovery is replay; a snapshot only makes it faster.
//
// One value serves one goroutine at a time.
type Strategy interface {
	// Ask returns the next question. It may be called again before earlier
	// questions are answered. It returns [ErrWaiting] when the next question depends
	// on answers that are not in, and [ErrStopped] after the strategy has decided.
	// The caller must not change the question.
	Ask() (choice.Question, error)

	// Tell counts the answer to a question that was asked and not yet answered;
	// answers may come in any order. An answer that is invalid, or to no such
	// question, is refused and changes nothing. After the decision answers are
	// accepted and no longer matter.
	Tell(answer choice.Answer) error

	// Lose says that a question that was asked will never be answered.
	Lose(question choice.Question) error

	// Verdict says where things stand. It is cheap.
	Verdict() Verdict

	// Snapshot returns the state, from which [Restore] makes a strategy that cannot
	// be told from this one.
	Snapshot() ([]byte, error)
}

// What Ask may return instead of a question, and Tell and Lose instead of nil.
var (
	ErrWaiting  = errors.New("strategy: the next question waits for answers")
	ErrStopped  = errors.New("strategy: the decision is made")
	ErrNotAsked = errors.New("strategy: the question was not asked, or is already answered")
)

// A Status says whether a strategy goes on asking.
type Status int

const (
	// Asking means that more answers are needed.
	Asking Status = iota

	// Decided means that the strategy has stopped by its own rule. It does not mean
	// that the leader is certified to be best.
	Decided

	// Certified means that it has stopped, and that no arm is better than the leader, by
	// more than ε, with probability 1 − δ.
	Certified
)

// String returns the status in words.
func (s Status) String() string {
	switch s {
	case Decided:
		return "decided"
	case Certified:
		return "certified"
	case Asking:
	}
	return "asking"
}

// A Verdict is what a strategy knows.
type Verdict struct {
	Status     Status
	Leader     int   // the arm that looks best; the answer once decided
	Contenders []int // arms not ruled out by the strategy's bound, the leader first
	Others     int   // as well, where there are too many to list
	Asked      int   // questions asked so far
	Answered   int   // answers told

	// Standings has, from the certified strategy, what is known of each contender but the
	// leader, and Forecast how many more answers are likely to be needed.
	Standings []Standing
	Forecast  Forecast

	// Verifying has the arms that it still compares with the leader directly ([Settings.Verify]).
	Verifying []int

	// Model says, of the certified strategy, whether the answers fit the model. While they
	// refute it nothing is certified.
	Model checks.Finding
}
