// Package design chooses questions that reduce uncertainty: which arms to show so that the estimate
// of θ becomes precise where it matters.
//
// Uncertainty is measured as in "Pure Exploration with Structured Preference Feedback": with V =
// Σ_s X_s X_s', the sum of aa' over all arms shown, the width of the confidence interval of g'θ is
// proportional to ‖g‖_{V⁻¹} (Theorem 1). Theorem 1 assumes arms in the unit ball; [Scale] brings
// them there.
//
//   - [Greedy] chooses arms one by one (Algorithm 1, line 10), by the XY or the G criterion.
//   - [Precision] maintains V and the norms of arms: [Products] for up to [MaxProducts] arms,
//     [Norms] for very many.
//   - [Widest] finds the question that carries most information about one direction.
//
// To choose a question adaptively:
//
//	rule := design.NewGreedy(design.NewPrecision(arms, 1e-4), design.XY, design.TiesSum, rng)
//	question := rule.Question(nil, 3)
package design
