// Package choice implements the linear multinomial logit model, on which the rest of bestpick
// builds: respondents pick one of the few options shown, and each option's utility is linear in its
// features.
//
// An arm with features a ∈ ℝᵈ has utility a'θ. Shown a question of K arms x_1 … x_K, a respondent
// picks the i-th with the softmax probability
//
//	μ_i(θ) = exp(x_i'θ) / Σ_j exp(x_j'θ)
//
// (equation 2 of "Pure Exploration with Structured Preference Feedback"). [Catalogue], [Question]
// and [Answer] represent the arms, the K arms shown and the picks. [Tally] holds the sufficient
// statistics of many answers. [Estimator] finds the maximum-likelihood estimate of θ and its
// standard errors:
//
//	tally := choice.NewTally(arms.Len())
//	err := tally.Add(choice.Answer{Question: choice.Question{0, 2, 3}, Picks: []int{1}})
//	…
//	var estimator choice.Estimator
//	estimate, err := estimator.Estimate(choice.NewLinear(arms, tally))
//
// An Estimator maximises a [Likelihood]. There are three:
//
//   - [Linear]: a tally of answers about the arms of a catalogue;
//   - [Free]: a tally of answers about arms without features, one utility for each arm
//     (Bradley–Terry for pairs, Plackett–Luce for more);
//   - [Records]: recorded choices whose alternatives change from task to task.
//
// If the data do not identify θ, the estimator returns a typed error that names the parameters:
// [ConstantError], [CollinearError], [SeparationError] or [ScaleError].
//
// The package reads no clock, does no input or output and keeps no global state.
package choice
