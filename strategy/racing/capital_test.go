package racing

import (
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
)

// Capital returns the log of the capital against the arm that is best under θ, for the features as
// given, then the constants of [choice.Alternatives], and without the effects of a [Model]. At the
// true θ it reaches log(1/δ) with probability at most δ, and the verdict can only be wrong if it
// does. After arms were added or withdrawn, only the evidence about all of θ counts.
//
// For a product it is the capital against all best options together.
func (r *Linear) Capital(theta []float64) float64 {
	if p := r.problem.catalogue.Product(); p != nil {
		return r.productCapital(p, theta)
	}
	c, judged := r.problem.catalogue, r.problem.rows.arms
	theta, constants := theta[:c.Dim()], theta[c.Dim():]
	best, mean := 0, 0.0
	own, squares := make([]float64, judged.Dim()), make([]float64, judged.Dim())
	for arm := range c.Len() {
		u := c.Utility(arm, theta)
		mean += u / float64(c.Len())
		for k, x := range judged.Arm(arm) {
			own[k] += u * x
			squares[k] += x * x
		}
		if u > c.Utility(best, theta) {
			best = arm
		}
	}
	for k, square := range squares {
		if square > 0 {
			own[k] /= square
		}
	}
	copy(own[len(own)-len(constants):], constants)
	if r.problem.settings.Offer.Outside {
		own[len(own)-len(constants)] -= mean // whitened utilities have mean zero
	}
	parts := []float64{r.evidence.Log(own)}
	if r.tiltsCount() {
		parts = append(parts, r.tilts.Log(best, own))
	}
	for _, d := range r.state.Duels.List {
		if d.Arm == best && !r.state.Duels.Closed {
			parts = append(parts, d.Log(c.Utility(best, theta)-c.Utility(d.Against, theta)))
		}
	}
	return choice.LogSumExp(parts)
}

// productCapital is Capital for a product: θ in whitened coordinates follows from the utilities of
// the options, group by group.
func (r *Linear) productCapital(p *choice.Product, theta []float64) float64 {
	utilities := p.Utilities(theta)
	best := p.Best(utilities)
	var own []float64
	for g, group := range r.problem.rows.arms.Product().Groups {
		for k := range group.Features {
			var sum, squares float64
			for option, row := range group.Rows {
				sum += row[k] * utilities[g][option]
				squares += row[k] * row[k]
			}
			own = append(own, sum/squares)
		}
	}
	parts := []float64{r.evidence.Log(own)}
	for _, d := range r.state.Duels.List {
		group, option := p.OptionAt(d.Arm)
		if d.Arm == p.OptionNumber(best, group) {
			_, other := p.OptionAt(d.Against)
			parts = append(parts, d.Log(utilities[group][option]-utilities[group][other]))
		}
	}
	return choice.LogSumExp(parts)
}

// TestEpsilonIsTheSmallest: with the stated ε as its tolerance, a race would be certified by the same
// answers, and with 1% less it would not.
func TestEpsilonIsTheSmallest(t *testing.T) {
	in := must(simulate.Sphere(8, 3, 3, 3))
	for seed := range uint64(3) {
		r := must(newLinear(in.Catalogue, Settings{Seed: seed, LookEvery: -1}, defaultLookSizes()))
		respondent := crowd.NewMNL(in.Catalogue, in.Theta, rand.New(rand.NewPCG(seed, 2)))
		AnswerUntil(t, r, respondent, 150)
		epsilon, ok := r.CertifiedEpsilon()
		if !ok {
			t.Fatal("no ε")
		}
		data := must(r.Snapshot())
		for factor, want := range map[float64]bool{1.01: true, 0.99: false} {
			again := must(restoreLinear(in.Catalogue, data, defaultLookSizes()))
			again.problem.epsilon, again.problem.settings.Epsilon = factor*epsilon, factor*epsilon
			again.look()
			if again.state.Decided != want {
				t.Errorf("seed %d: %v times ε = %v decides: %v", seed, factor, epsilon, again.state.Decided)
			}
		}
	}
}
