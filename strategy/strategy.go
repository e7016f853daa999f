// Package strategy defines the interface of algorithms that find the best arm: a [Strategy] is asked for questions and told
// answers. It owns no loop, no clock and no input or output. Its caller shows the questions to respondents, or to a simulated
// crowd, one at a time or many at once, as in the example.
//
// A [Verdict] has the [Status], the leader and the contenders. Use package strategy/racing, whose strategy is certified. Package
// strategy/baseline implements the strategies of "Pure Exploration with Structured Preference Feedback", for comparison. Package
// strategy/strategytest is the conformance suite of both.
//
// [Ledger], [Seal] and [Unseal] are for authors of strategies.
package strategy

import (
	"errors"
	"fmt"

	"bestpick/choice"
)

// A Strategy finds the best arm by asking. It is deterministic: the same catalogue, settings, seed and sequence of calls give the
// same questions and verdicts. Recovery is replay; a snapshot only makes it faster.
//
// A Strategy is not safe for concurrent use.
type Strategy interface {
	// Ask returns the next question. It may be called again before earlier questions are answered. It returns [ErrWaiting] when
	// the next question depends on outstanding answers, and [ErrStopped] after the strategy has decided; then the call changes
	// nothing. The caller must not change the question.
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

// A Dealer is a strategy whose evidence is about people. Its caller reports who arrives, and deals everyone
// the questions of their session at once.
type Dealer interface {
	// Begin says that the next questions asked are one hand. Until there is a nominee, they show no arm in more than half
	// of them, or in as few as possible.
	Begin(questions int)

	// Deal reports that a person arrives who will be asked the given questions, all of them outstanding.
	// Everyone has one hand, ever; other answers of theirs are no evidence. A person without a name is
	// another one each time. An answer to a question that was not dealt is a person's who arrives with it.
	Deal(respondent, segment string, hand []choice.Question) error

	// Redeal is Deal with questions that an earlier strategy of the same study asked.
	Redeal(respondent, segment string, hand []choice.Question) error

	// End ends the hand of a person: questions that are not answered will not be. It ends by itself with the last answer.
	End(respondent string) error

	// Distrust lets the bets on a person whose hand is open win nothing from now on. They may still lose.
	Distrust(respondent string)

	// Exclude notes that the owner excluded a person: from now on a certificate holds with everyone, and without any one
	// person more.
	Exclude() error

	// Ended reports whether answers of a person are no evidence, because their hand has ended.
	Ended(respondent string) bool
}

// The errors that Ask, Tell and Lose return besides those about invalid answers.
var (
	ErrWaiting  = errors.New("strategy: the next question waits for answers")
	ErrStopped  = errors.New("strategy: the decision is made")
	ErrNotAsked = errors.New("strategy: the question was not asked, or is already answered")
)

// An Assumption is what a certificate rests on. The zero value is [Linear].
type Assumption string

const (
	// Linear assumes one softmax, the same for all respondents, with utilities linear in the
	// features. The certified arm has the largest utility, within ε.
	Linear Assumption = "linear"

	// Majority assumes only that respondents are drawn independently, and that their questions do not depend on their own
	// answers. No other arm is chosen over the certified one by more than half of the people, within ε.
	Majority Assumption = "majority"
)

// Check returns an error unless the assumption is known.
func (a Assumption) Check() error {
	switch a {
	case "", Linear, Majority:
		return nil
	}
	return fmt.Errorf("strategy: the assumption must be %s or %s, got %q", Linear, Majority, string(a))
}
