// Package theory computes how many questions a best-arm identification problem needs: upper bounds
// for the strategies of "Pure Exploration with Structured Preference Feedback", and lower bounds
// for any strategy.
//
// A [Problem] is a catalogue with the true θ*, the number K of arms in a question and the error
// probability δ.
//
//   - [Problem.UpperStatic] and [Problem.UpperAdaptive] are the upper bounds of the paper's
//     theorems with their constants, solved for τ.
//   - [Problem.LowerTheorem] is the paper's lower bound, for as many independent arms as features
//     (Theorem 3).
//   - [Problem.CharacteristicTime] is the lower bound for any arms, beyond the paper, with a mix of
//     questions that nearly attains it.
//   - [Problem.Rival] is a lower bound that is cheap to compute, from the arm that is hardest to
//     distinguish from the best.
//
// For example:
//
//	problem := theory.Problem{Catalogue: arms, Theta: theta, K: 3, Delta: 0.05}
//	c, err := problem.CharacteristicTime(theory.Exact, theory.Automatic, 0.01)
//	questions := c.Time * problem.BinaryDivergence() // no strategy needs fewer on average
//
// The bounds assume the model of package choice and the true θ*. They serve to judge a strategy,
// not to run one.
package theory
