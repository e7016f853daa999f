// Package checks tests whether answers fit the model: one softmax, the same for all respondents and
// at all times, with utilities linear in the features. The certificate of a strategy is valid only
// if they do.
//
// # Use
//
// [Study] checks recorded answers, in the order in which they were given:
//
//	s, err := checks.NewStudy(catalogue)
//	…
//	for _, answer := range answers {
//		err := s.Tell(answer)
//		…
//	}
//	finding := s.Look() // finding.Status is Fits, Doubtful or Refuted
//
// A running strategy uses a [Monitor], which observes each pick with the prediction made for it. A
// [Roster] decides which respondents to exclude, by [Rules] that do not depend on their
// preferences. A [Finding] describes the result.
//
// # Method
//
// Each check is a bet against the model. It predicts every pick from earlier answers by a richer
// model. Its capital is
//
//	E_t = ∏ q(y_s) / sup_θ ∏ p_θ(y_s),
//
// the probability of the picks under the richer model, divided by their largest probability under
// the plain one. If the plain model holds with some θ*, then ∏ q/p_θ* is a non-negative martingale
// with mean 1 and E is never larger. By Ville's inequality E ever reaches 1/α with probability at
// most α, at any number of looks.
//
// All richer models but one tilt the plain model's own predictions p̄, so that
//
//	log E = log ∏ p̄/sup_θ ∏ p_θ + log ∏ q/p̄.
//
// The first term, the price of not knowing θ, is the same for all checks and computed once per
// look. It grows as (d/2)·log t; so, as in [evidence.Anytime], a part of the capital is invested
// later, when θ is better known.
package checks
