package baseline

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

const (
	maxPaired   = 256  // arms of which all pairs are considered
	designSteps = 300  // of the search for a design
	rageRidge   = 1e-8 // on the mean log-likelihood, instead of none
	rageWidth   = 3.5  // of the article's bound
	rageSlack   = 3.0  // for the variances at the last estimate instead of the truth
)

// newRAGE returns RAGE-GLM by Jun, Jain, Mason and Nassif, "Improved Confidence Bounds for the Linear Logistic Model and
// Applications to Bandits", ICML 2021, for pairs: the measurements are the differences x of the features of two arms. A burn-in
// follows a G-optimal design. Then batch k follows the design λ that minimises
//
//	f(λ) = max(γ·max_x ‖x‖², 3.5²·4^k·max_{i,j active} ‖a_i − a_j‖²),   norms under H(λ)⁻¹,
//
// where H(λ) = Σ_x λ_x·σ'(x'θ̂)·xx' at the estimate of the batch before, and γ = d + log(6(2 + M)/δ_k)
// with M pairs. It asks 3·f(λ)·log(1/δ_k) questions, each pair rounded up, estimates θ from the answers
// of the batch, and eliminates the arms that are at least 2^−k behind another.
//
// Guarantee: the arm returned is best with probability 1 − δ if κ, which only the burn-in needs, is at
// most σ'(x'θ*) for every pair. The default κ is larger, and is taken as at most ¼, so the guarantee does
// not apply to it. The burn-in is as long as Theorem 1 of the article needs for |x'(θ̂ − θ*)| ≤ 1, and
// log(1/δ_k) = log(4k²N²(2 + M)/δ) covers all batches and pairs of arms. A tiny ridge keeps estimates finite.
func newRAGE(r *runner) (policy, error) {
	c := r.catalogue
	r.estimate = newEstimate(c, rageRidge)
	rule, err := newRage(c)
	if err != nil {
		return nil, err
	}
	b := &batched{runner: r, rule: rule}
	for arm := range c.Len() {
		if !slices.ContainsFunc(b.active, func(other int) bool { return slices.Equal(c.Arm(other), c.Arm(arm)) }) {
			b.active = append(b.active, arm) // of copies the first
		}
	}
	return b, nil
}

// rage has all pairs of arms that differ.
type rage struct {
	white *choice.Catalogue
	pairs []choice.Question
	rows  [][]float64 // differences of the pairs, in whitened coordinates, which they span
}

func newRage(c *choice.Catalogue) (*rage, error) {
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	r := &rage{white: white}
	for i := range c.Len() {
		for j := range i {
			if row := floats.SubTo(make([]float64, white.Dim()), white.Arm(j), white.Arm(i)); floats.Norm(row, 2) > 0 {
				r.pairs, r.rows = append(r.pairs, choice.Question{j, i}), append(r.rows, row)
			}
		}
	}
	return r, nil
}

// plan returns the questions of the burn-in or of batch k.
func (r *rage) plan(b *batched) []repeated {
	d, m, n := float64(r.white.Dim()), float64(len(r.pairs)), float64(b.catalogue.Len())
	k := float64(b.number)
	weights, goals := make([]float64, len(r.pairs)), make([]float64, len(r.pairs))
	log := math.Log(4 * max(k, 1) * max(k, 1) * n * n * (2 + m) / b.settings.Delta)
	gamma := d + log + math.Log(6)
	var questions float64
	if b.number == 0 {
		for p := range goals {
			weights[p], goals[p] = min(b.settings.Kappa, 0.25), 1
		}
		questions = max(gamma, rageWidth*rageWidth*log)
	} else {
		for p, q := range r.pairs {
			slope := 1 / (1 + math.Exp(b.estimate.utilities[q[0]]-b.estimate.utilities[q[1]]))
			weights[p], goals[p] = max(slope*(1-slope), 1e-12), gamma
			if slices.Contains(b.active, q[0]) && slices.Contains(b.active, q[1]) {
				goals[p] = max(gamma, rageWidth*rageWidth*math.Pow(4, k))
			}
		}
		questions = rageSlack * log
	}
	design, value := r.design(weights, goals)
	var plan []repeated
	for p, share := range design {
		if times := math.Ceil(min(questions*value*share, maxTimes)); times > 0 {
			plan = append(plan, repeated{r.pairs[p], int(times)})
		}
	}
	return plan
}

// design returns shares λ of the pairs and max_p goals_p·‖x_p‖² under (Σ λ_p·weights_p·x_p·x_p')⁻¹, which
// Frank–Wolfe steps make small. The value is exact for the shares.
func (r *rage) design(weights, goals []float64) (best []float64, value float64) {
	shares := make([]float64, len(r.pairs))
	for p := range shares {
		shares[p] = 1 / float64(len(shares))
	}
	value = math.Inf(1)
	for step := range designSteps {
		inverse := r.inverse(shares, weights)
		worst, most := 0, 0.0
		for p, row := range r.rows {
			if norm := goals[p] * mat.Inner(mat.NewVecDense(len(row), row), inverse, mat.NewVecDense(len(row), row)); norm > most {
				worst, most = p, norm
			}
		}
		if most < value {
			best, value = slices.Clone(shares), most
		}
		var towards mat.VecDense
		towards.MulVec(inverse, mat.NewVecDense(len(r.rows[worst]), r.rows[worst]))
		next, gain := 0, 0.0
		for p, row := range r.rows {
			if x := floats.Dot(row, towards.RawVector().Data); weights[p]*x*x > gain {
				next, gain = p, weights[p]*x*x
			}
		}
		length := 1 / (float64(step) + 2)
		floats.Scale(1-length, shares)
		shares[next] += length
	}
	return best, value
}

// inverse returns (Σ λ_p·w_p·x_p·x_p')⁻¹.
func (r *rage) inverse(shares, weights []float64) *mat.SymDense {
	d := r.white.Dim()
	h, inverse := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	for p, row := range r.rows {
		h.SymRankOne(h, shares[p]*weights[p], mat.NewVecDense(d, row))
	}
	var factor mat.Cholesky
	if !factor.Factorize(h) || factor.InverseTo(inverse) != nil {
		for k := range d {
			inverse.SetSym(k, k, math.MaxFloat32) // a design that leaves something unknown
		}
	}
	return inverse
}

// eliminate removes the active arms that are at least 2^−k behind another, after the burn-in, and puts the leader in front.
func (r *rage) eliminate(b *batched) {
	clear(b.estimate.theta)
	b.estimate.update()
	utilities := b.estimate.utilities
	slices.SortStableFunc(b.active, func(i, j int) int { return cmp.Compare(utilities[j], utilities[i]) })
	if b.number > 0 {
		b.active = slices.DeleteFunc(b.active, func(arm int) bool {
			return utilities[b.active[0]]-utilities[arm] >= math.Pow(2, -float64(b.number))
		})
	}
}
