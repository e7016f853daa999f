// Package checks asks whether answers fit the model: one softmax, the same for everybody and
// at all times, with utilities linear in the features. A certificate is worth as much as
// that.
//
// Each check is a bet against the model. It predicts every pick from earlier answers by a
// richer model, and is worth
//
//	E_t = ∏ q(y_s) / sup_θ ∏ p_θ(y_s),
//
// the probability that the richer model gave to what was picked, over the most that the plain
// one can give. If the plain model holds with some θ*, then ∏ q/p_θ* is a non-negative
// martingale with mean 1 and E is never more: E ever reaches 1/α with probability at most α,
// however often one looks.
//
// The richer models do not start from nothing: all but one tilt the plain model's own
// predictions p̄, so that
//
//	log E = log ∏ p̄/sup_θ ∏ p_θ + log ∏ q/p̄,
//
// of which the first, the price of not knowing θ, is the same for all checks and computed
// once a look. It grows as (d/2)·log t; so, as in [evidence.Anytime], a part of the capital
// is put to work later, when θ is known better.
package checks
