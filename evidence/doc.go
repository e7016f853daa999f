// Package evidence measures how sure an estimate is.
//
// [Anytime] is evidence against values of θ that is valid at any number of looks: predict every
// answer before it is counted, and refute each θ whose capital reaches 1/δ. The truth is ever
// refuted with probability at most δ.
//
//	a := evidence.NewAnytime(arms, tally, 1) // arms in whitened coordinates
//	a.Start(0.5)                             // put half of the capital to work
//	…
//	a.Predict(math.Log(probability)) // of the pick, before it is known
//	err := tally.Add(answer)
//	…
//	look, settled := a.Look(theta)     // the least evidence over all θ
//	log := look.Infimum(difference, ε) // over all θ under which another arm is better by ε
//
// [Belief] makes such predictions. [Duel] is evidence from direct comparisons of two arms.
//
// [Majority] is evidence about what people choose, without any model: that at most a given share of
// them chooses one arm over another.
//
// [PaperBound] is the confidence bound of "Pure Exploration with Structured Preference Feedback",
// and [CheckAssumptions] reports whether its assumptions hold for a run.
package evidence
