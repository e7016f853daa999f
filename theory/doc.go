// Package theory says what an instance of best-arm identification needs: how many
// questions the strategies of "Pure Exploration with Structured Preference Feedback"
// take at most, and how many any strategy takes at least.
//
//   - [Problem.UpperStatic] and [Problem.UpperAdaptive] are the upper bounds of the
//     paper's theorems with their constants, solved for τ.
//   - [Problem.LowerTheorem] is its lower bound, for as many independent arms as
//     features.
//   - [Problem.CharacteristicTime] is the lower bound for any arms, beyond the paper,
//     with a mix of questions that nearly reaches it and a bound that none can pass.
//   - [Problem.Rival] is a lower bound that is cheap to compute, from the arm that is hardest
//     to tell from the best.
package theory
