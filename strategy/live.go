package strategy

import "bestpick/choice"

// A Kind makes strategies of one kind, so that live studies can run them. Every strategy that it
// makes must pass the conformance suite, strategytest.
//
// A strategy may implement more than [Strategy]. Owners can add and withdraw arms while a study runs
// if it is a [Changer], and import answers if it is an [Importer].
type Kind struct {
	// New makes the strategy of a study.
	New func(arms *choice.Catalogue, settings Settings) (Strategy, error)

	// Restore returns the strategy of a snapshot.
	Restore func(arms *choice.Catalogue, snapshot []byte) (Strategy, error)
}

// Settings are the settings of a live study that every kind of strategy receives.
type Settings struct {
	K       int     // arms in a question
	Delta   float64 // the largest probability of certifying a wrong arm
	Epsilon float64 // the largest lead in utility of any arm over the certified one
	Seed    uint64  // makes random choices repeatable
}

// A Changer is a strategy whose arms may change while it asks.
type Changer interface {
	// Extend adds arms. The catalogue begins with the present arms, with the same features.
	Extend(arms *choice.Catalogue) error

	// Withdraw removes an arm: it is no longer shown, and cannot be the leader or a contender.
	Withdraw(arm int) error
}

// An Importer is a strategy that counts answers to questions that it has not asked.
type Importer interface {
	// Import counts an answer to a question that was asked elsewhere.
	Import(answer choice.Answer) error

	// Recount counts an answer to a question that an earlier strategy of the same study asked.
	Recount(answer choice.Answer) error
}
