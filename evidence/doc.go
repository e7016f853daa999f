// Package evidence measures how certain an estimate is.
//
// [Anytime] is an e-process against values of θ: predict every answer before it is counted, and
// refute each θ whose capital reaches 1/δ. By Ville's inequality the true θ is refuted with
// probability at most δ, at any number of looks.
//
//	a := evidence.NewAnytime(arms, tally, 1) // arms in whitened coordinates
//	a.Start(0.5)                             // invest half of the capital
//	…
//	a.Predict(math.Log(probability)) // of the pick, before it is known
//	err := tally.Add(answer)
//	…
//	look, settled := a.Look(theta)     // the least evidence over all θ
//	log := look.Infimum(difference, ε) // over all θ under which another arm is better by ε
//
// [Belief] makes these predictions. A [Look] bounds the evidence against every θ under which one
// arm beats another. [Duel] is evidence from direct comparisons of two arms, and [Tilts] are evidence
// against single arms that does not pay for nuisance parameters.
//
// [PaperBound] is the confidence bound of "Pure Exploration with Structured Preference Feedback"
// (Theorem 1, Corollary 1), and [CheckAssumptions] reports whether its assumptions hold for a run.
package evidence
