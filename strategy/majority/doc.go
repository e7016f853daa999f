// Package majority finds the arm that people choose: with probability at least 1 − δ, no other arm is chosen over the certified
// one by more than half of the people plus a tolerance. It assumes no model of utilities, no features and no likeness of people;
// [evidence.Majority] has the proof and its two assumptions, that respondents are drawn independently, and that which questions
// of their hand a respondent answers does not depend on what they choose.
//
//	race, err := majority.New(catalogue, majority.Settings{K: 3, Delta: 0.05, Epsilon: 0.2})
//
// # Method
//
// A person is dealt a hand of questions on arrival ([Race.Deal]), and a capital of 1 bets on their answers at
// the same moment: a person is one observation. Every answer guides at once. A look goes through these steps:
//
//		model ──► leader ──► nomination ──► bets ──► stop, or questions
//
//	  - A linear model with a residual for every arm guides: it predicts votes, and suggests the leader
//	    (model.go, nomination.go). No certificate depends on it.
//	  - A leader that is credible is nominated, and some of the capital is invested in it, more as it becomes
//	    more credible (nomination.go).
//	  - The capital of a nominee bets against each rival, by arrival (election.go). A rival is
//	    refuted once its capital has reached 1/δ. A nominee whose rivals are all refuted is elected.
//	  - A second capital for each arm bets that it is not the best, which certifies that there is no favourite
//	    if people have a cycle instead (nofavourite.go).
//	  - Questions compare the nominee with the rivals that are left (comparisons.go), or the arms of a cycle
//	    (refutation.go), or survey the model before there is a nominee.
//
// Each declared segment has an election of its own (segments.go). A [Poll] is the part of it that a race
// under another assumption can collect, so that it can continue as a majority race.
package majority
