package strategy

import (
	"math"
	"slices"

	"bestpick/choice"
)

// gatherProduct chooses the field among the profiles of a product. Utilities add up over its
// groups, so the leader has the best option of every group, and if another profile is better
// than it by more than ε, one that differs in one of the G groups only is better by more than
// ε/G: these are the rivals, and the certificate needs no others. With them come profiles that
// tell much about those most in doubt.
func (r *Racing) gatherProduct() (leader int) {
	product := r.views.judged.Product()
	utilities := product.Utilities(r.state.Belief.Fitted)
	leader = product.Best(utilities)
	rivals := product.Changes(leader)
	arms := append([]int{leader}, rivals...)
	r.setField(r.views.some(slices.Sorted(slices.Values(arms)), rivals))
	r.evaluate(leader)
	if n := r.catalogue.Len(); n <= fewProfiles {
		for arm := range n {
			arms = append(arms, arm)
		}
	}
	towards := make([]float64, r.views.judged.Dim())
	for _, place := range r.mostDoubtful(probes) {
		multiply(towards, r.state.Belief.Inverse, r.lead(place))
		arms = appendInformative(arms, product, product.Utilities(towards), utilities)
	}
	r.setField(r.views.some(r.enough(arms), rivals))
	return leader
}

// fewProfiles are all in the field, so that none is missed that tells much.
const fewProfiles = 256

// probes is for how many of the most doubtful arms a field has others that tell much about
// them.
const probes = 8

// mostDoubtful returns the places of the rivals with the least Z, at most so many.
func (r *Racing) mostDoubtful(most int) []int {
	var best smallest
	best.reset(most)
	for place := range r.leads {
		if r.leads[place] > 0 {
			best.offer(place, r.z(place))
		}
	}
	return best.sorted()
}

// appendInformative appends the profiles with extreme values z, as they are and traded against
// utility u: those with the largest ±z + λu for several λ. A question about them tells much
// about z if they are about as likely to be picked.
func appendInformative(arms []int, product *choice.Product, z, u [][]float64) []int {
	scale := spread(z) / max(spread(u), 1e-9)
	for _, sign := range []float64{1, -1} {
		for _, trade := range []float64{0, 0.25, 0.5, 1, 2, 4} {
			values := make([][]float64, len(z))
			for g := range z {
				for option := range z[g] {
					values[g] = append(values[g], sign*z[g][option]+trade*scale*u[g][option])
				}
			}
			arms = append(arms, product.Best(values))
		}
	}
	return arms
}

// spread returns the standard deviation of a sum over groups, one option of each drawn at
// random.
func spread(values [][]float64) float64 {
	variance := 0.0
	for _, group := range values {
		var mean, squares float64
		for _, x := range group {
			mean += x / float64(len(group))
			squares += x * x / float64(len(group))
		}
		variance += max(squares-mean*mean, 0)
	}
	return math.Sqrt(variance)
}

// productCapital is [Racing.Capital] for a product: θ in whitened coordinates follows from the
// utilities of the options, group by group.
func (r *Racing) productCapital(p *choice.Product, theta []float64) float64 {
	utilities := p.Utilities(theta)
	best := p.Best(utilities)
	var own []float64
	for g, group := range r.views.judged.Product().Groups {
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
	for _, d := range r.state.Duels {
		group, option := p.OptionAt(d.Arm)
		if d.Arm == p.OptionNumber(best, group) {
			_, other := p.OptionAt(d.Against)
			parts = append(parts, d.Log(utilities[group][option]-utilities[group][other]))
		}
	}
	return choice.LogSumExp(parts)
}
