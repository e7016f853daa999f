// Package choice is the model that everything else in bestpick rests on: people
// pick one option out of the few they are shown, and the odds follow a linear
// multinomial logit.
//
// An arm a with features a ∈ ℝᵈ has utility a'θ. Shown a question of K arms
// x_1 … x_K, a respondent picks the i-th with the softmax probability
//
//	μ_i(θ) = exp(x_i'θ) / Σ_j exp(x_j'θ)
//
// (equation 2 of "Pure Exploration with Structured Preference Feedback"). The
// package holds the words of that sentence, [Catalogue], [Question] and [Answer],
// the sufficient statistics of many answers, [Tally], and the maximum-likelihood
// estimate of θ with its standard errors, [Estimator].
//
// What is estimated from is a [Likelihood], of which there are three:
//
//   - [Linear]: a tally of answers about the arms of a catalogue;
//   - [Free]: a tally of answers about arms without features, one utility each
//     (Bradley–Terry for pairs, Plackett–Luce for more);
//   - [Records]: recorded choices whose alternatives change from task to task.
//
// The package reads no clock, does no input or output and keeps no global state.
package choice
