// Package design chooses questions that shrink uncertainty: which arms to show so
// that the estimate of θ becomes sharp where it matters.
//
// Uncertainty is measured as in "Pure Exploration with Structured Preference
// Feedback": with V = Σ_s X_s X_s', the sum of aa' over all arms shown, the width
// of the confidence interval of g'θ is proportional to ‖g‖_{V⁻¹} (Theorem 1).
// Theorem 1 assumes arms in the unit ball; [Scale] brings them there.
//
//   - [Greedy] picks arms one by one (Algorithm 1, line 10), by the XY or the G
//     criterion.
//   - [Optimal] solves the continuous relaxation: the shares of arms that would be
//     best in the long run, with a bound on how far from the best they are.
//   - [Round] turns shares into whole numbers of pulls, and [Plan] into questions.
package design
