// Package evidence measures how certain an estimate is.
//
// [Anytime] is an e-process against values of θ: predict every answer before it is counted, and refute each θ whose capital
// reaches 1/δ. By Ville's inequality the true θ is refuted with probability at most δ, at any number of looks.
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

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// MaxSpread is the largest difference in utility of two arms. This assumption makes every supremum
// finite. At 50, one arm is picked over the other in all but one of 10²¹ choices.
const MaxSpread = 50

// ridge times ½‖θ‖² is added to the objective. In coordinates that are centred and uncorrelated over the arms, with mean squares
// of at least m, ‖θ‖² is at most the variance of the utilities over m, hence MaxSpread²/4m. A constant of [choice.Alternatives]
// is the difference of an alternative and a mean of arms, hence at most MaxSpread. The largest amount that the ridge can add is
// subtracted again.
const ridge = 1e-7

// Anytime is an e-process against values of θ: evidence that is valid at any number of looks. Before each answer y_s to question
// S_s is counted it is predicted, with any probabilities that depend on earlier answers only. For a start τ,
//
//	E^τ_t(θ) = ∏_{s=τ+1..t} prediction(y_s)/p_θ(y_s|S_s)        (1 while t ≤ τ)
//
// is a non-negative martingale with mean 1 if θ is the truth. A capital of 1 is invested in these
// products in parts, at times and in amounts that may depend on earlier answers:
//
//	M_t(θ) = cash + Σ_k w_k·E^{τ_k}_t(θ),   cash = 1 − Σ_k w_k ≥ 0,
//
// so M is a non-negative martingale with mean 1, and P(∃t: M_t(θ*) ≥ 1/δ) ≤ δ by Ville's inequality. Every θ with M_t(θ) ≥ 1/δ is
// refuted. A late start ignores the poor predictions of the beginning.
//
// log M is bounded from below by G(θ) = log Σ_k w_k·E^{τ_k}_t(θ), the log of a sum of exponentials of convex functions, which is
// convex: its infimum over a half-space is found by Newton's method and bounded by [Look].
//
// A start stores one count for each distinct question, so memory does not depend on the number of answers.
//
// Anytime is not safe for concurrent use.
type Anytime struct {
	*workspace

	arms      *choice.Catalogue
	tally     *choice.Tally
	ridgeCost float64
	state     AnytimeState

	values, mix []float64  // of the starts
	slopes      *mat.Dense // of the starts
}

// A workspace is the scratch memory of a look. It is as large as the tally, which may have a
// million distinct questions, so several Anytimes share one unless they look concurrently.
type workspace struct {
	utilities, exps, expected []float64 // of the seen arms
	logs                      []float64 // log Σ exp u of every question
	shares                    []float64 // probabilities, slot by slot
	counts                    []float64 // answers to every question, mixed over starts
}

// AnytimeState is the state of an Anytime apart from the tally.
type AnytimeState struct {
	Predicted float64 `json:"predicted"` // log of the product of all predictions
	Cash      float64 `json:"cash"`
	Starts    []Start `json:"starts"`
}

// A Start is an invested part of the capital, with the counts at its time.
type Start struct {
	Weight    float64   `json:"weight"`
	Predicted float64   `json:"predicted"`
	Wins      []float64 `json:"wins"`
	Asked     []float64 `json:"asked"`
}

// NewAnytime returns evidence from the answers counted in tally. The coordinates of arms must be centred and uncorrelated, as
// [choice.Whiten] makes them, but for the constants of [choice.Alternatives]. The capital is at most 1 and starts as cash.
func NewAnytime(arms *choice.Catalogue, tally *choice.Tally, capital float64) *Anytime {
	constants := arms.Constants()
	least := slices.Min(arms.MeanSquares()[:arms.Dim()-constants])
	return &Anytime{
		arms: arms, tally: tally, ridgeCost: ridge*MaxSpread*MaxSpread/(8*least) + ridge*MaxSpread*MaxSpread/2*float64(constants),
		state: AnytimeState{Cash: capital}, workspace: &workspace{},
	}
}

// Share makes a use the workspace of another Anytime, which must not look at the same time.
func (a *Anytime) Share(other *Anytime) { a.workspace = other.workspace }

// State returns the state, for Restore.
func (a *Anytime) State() AnytimeState { return a.state }

// Restore sets the state to one that State returned for the same tally.
func (a *Anytime) Restore(s AnytimeState) { a.state = s }

// Cash returns the capital that is not yet invested.
func (a *Anytime) Cash() float64 { return a.state.Cash }

// Start invests a part of the capital from now on, at most the remaining cash.
func (a *Anytime) Start(weight float64) {
	weight = min(weight, a.state.Cash)
	if weight <= 0 {
		return
	}
	a.state.Cash -= weight
	a.state.Starts = append(a.state.Starts, Start{
		Weight: weight, Predicted: a.state.Predicted,
		Wins:  append([]float64(nil), a.tally.Wins()...),
		Asked: append([]float64(nil), a.tally.Asked()...),
	})
}

// floor is a lower bound on G everywhere, since no likelihood exceeds 1: Σ_k w_k times the predictions after start k, in logs.
func (a *Anytime) floor() float64 {
	parts := make([]float64, len(a.state.Starts))
	for k, start := range a.state.Starts {
		parts[k] = math.Log(start.Weight) + a.state.Predicted - start.Predicted
	}
	return choice.LogSumExp(parts)
}

// Predict records the log-probability given to an answer before it is counted.
func (a *Anytime) Predict(logProbability float64) { a.state.Predicted += logProbability }

// Log returns log M_t(θ).
func (a *Anytime) Log(theta []float64) float64 {
	if len(a.state.Starts) == 0 {
		return math.Log(a.state.Cash)
	}
	g := a.value(theta) - ridge/2*floats.Dot(theta, theta)
	if a.state.Cash == 0 {
		return g
	}
	return choice.LogSumExp([]float64{g, math.Log(a.state.Cash)})
}

// value returns G(θ) with the ridge, and stores its terms for differentiate.
func (a *Anytime) value(theta []float64) float64 {
	seen := a.tally.Seen()
	a.utilities = resized(a.utilities, len(seen))
	a.exps = resized(a.exps, len(seen))
	top := math.Inf(-1)
	for i, arm := range seen {
		a.utilities[i] = a.arms.Utility(arm, theta)
		top = max(top, a.utilities[i])
	}
	for i, u := range a.utilities {
		a.exps[i] = math.Exp(u - top)
	}
	a.logs, a.shares = a.logs[:0], a.shares[:0]
	for q := range a.tally.Asked() {
		a.addQuestion(a.tally.Places(q), top)
	}
	starts := a.state.Starts
	a.values, a.mix = resized(a.values, len(starts)), resized(a.mix, len(starts))
	all := a.state.Predicted - floats.Dot(a.tally.Wins(), a.utilities) + floats.Dot(a.tally.Asked(), a.logs)
	for k, start := range starts {
		before := start.Predicted - floats.Dot(start.Wins, a.utilities[:len(start.Wins)]) + floats.Dot(start.Asked,
			a.logs[:len(start.Asked)])
		a.values[k] = math.Log(start.Weight) + all - before
	}
	choice.Probabilities(a.mix, a.values)
	return choice.LogSumExp(a.values) + ridge/2*floats.Dot(theta, theta)
}

// addQuestion sets log Σ exp u and the probabilities of a question's arms.
func (a *Anytime) addQuestion(places []int32, top float64) {
	sum := 0.0
	for _, place := range places {
		sum += a.exps[place]
	}
	if sum < 1e-290 { // far below the best arm: subtract the question's largest utility instead
		top = math.Inf(-1)
		for _, place := range places {
			top = max(top, a.utilities[place])
		}
		sum = 0
		for _, place := range places {
			sum += math.Exp(a.utilities[place] - top)
		}
	}
	log := top + math.Log(sum)
	a.logs = append(a.logs, log)
	for _, place := range places {
		a.shares = append(a.shares, math.Exp(a.utilities[place]-log))
	}
}

// differentiate sets the gradient of G with the ridge, after value. It also sets two matrices:
// curvature, Σ_k π_k·H_k plus the ridge, where H_k is the information of the answers after start k,
// and hessian, which adds the covariance of the starts' gradients.
func (a *Anytime) differentiate(theta, gradient []float64, curvature, hessian *mat.SymDense) {
	starts, seen, asked := a.state.Starts, a.tally.Seen(), a.tally.Asked()
	d := len(theta)
	a.counts = resized(a.counts, len(asked))
	copy(a.counts, asked)
	for k, start := range starts {
		floats.AddScaled(a.counts[:len(start.Asked)], -a.mix[k], start.Asked)
	}
	// Gradients of the starts: A'(expected − picked) over the answers after each.
	a.expected = resized(a.expected, len(seen))
	a.expect(a.expected, asked)
	if a.slopes == nil || a.slopes.RawMatrix().Rows < len(starts) {
		a.slopes = mat.NewDense(2*len(starts), d, nil)
	}
	clear(gradient)
	before := make([]float64, len(seen))
	for k, start := range starts {
		a.expect(before, start.Asked)
		slope := a.slopes.RawRowView(k)
		clear(slope)
		for i, arm := range seen {
			r := a.expected[i] - before[i] - a.tally.Wins()[i]
			if i < len(start.Wins) {
				r += start.Wins[i]
			}
			floats.AddScaled(slope, r, a.arms.Arm(arm))
		}
		floats.AddScaled(gradient, a.mix[k], slope)
	}
	a.addInformation(curvature)
	hessian.CopySym(curvature)
	for k := range starts {
		slope := a.slopes.RawRowView(k)
		floats.Sub(slope, gradient)
		hessian.SymRankOne(hessian, a.mix[k], mat.NewVecDense(d, slope))
	}
	for k := range d {
		gradient[k] += ridge * theta[k]
		curvature.SetSym(k, k, curvature.At(k, k)+ridge)
		hessian.SetSym(k, k, hessian.At(k, k)+ridge)
	}
}

// expect sets the expected picks of every seen arm for the given numbers of answers to the first questions.
func (a *Anytime) expect(picks, asked []float64) {
	clear(picks)
	slot := 0
	for q, weight := range asked {
		for _, place := range a.tally.Places(q) {
			picks[place] += weight * a.shares[slot]
			slot++
		}
	}
}

// addInformation sets h to Σ_q counts_q·Cov_q(x).
func (a *Anytime) addInformation(h *mat.SymDense) {
	h.Zero()
	seen := a.tally.Seen()
	d := h.SymmetricDim()
	cells := h.RawSymmetric().Data
	mean, centred := make([]float64, d), make([]float64, d)
	slot := 0
	for q, weight := range a.counts {
		places := a.tally.Places(q)
		shares := a.shares[slot : slot+len(places)]
		slot += len(places)
		if weight <= 0 {
			continue
		}
		clear(mean)
		for i, place := range places {
			floats.AddScaled(mean, shares[i], a.arms.Arm(seen[place]))
		}
		for i, place := range places {
			floats.SubTo(centred, a.arms.Arm(seen[place]), mean)
			w := weight * shares[i]
			for k, x := range centred {
				row := cells[k*d : (k+1)*d]
				for l := k; l < d; l++ {
					row[l] += w * x * centred[l]
				}
			}
		}
	}
}

func resized(xs []float64, n int) []float64 {
	if cap(xs) < n {
		return make([]float64, n, n+n/8)
	}
	return xs[:n]
}
