package theory

import (
	"math"
	"slices"
)

// relaxed returns an upper bound on the value of any question, without enumerating them. For any b,
// since log x ≤ x·e^{−b} − 1 + b,
//
//	Σ_c ν_c·D_S(v_c) ≤ Σ_{i∈S} p_i·h_i(b),   h_i(b) = Σ_c ν_c·ψ(v_ci − b_c),
//
// with ψ(x) = e^x − 1 − x, or ½x² for the quadratic form. With m the best arm of S and x_i = e^{u_i
// − u_m} ≤ 1, the right side is (h_m + Σ x_i·h_i)/(1 + Σ x_i), whose largest value over the K−1
// other arms is a fractional programme that [ratio] solves exactly. Then b moves towards the centre
// of the arms found, and the least bound counts. The bound of the catalogue is the largest over m.
func (a *arms) relaxed(mix []weighted) float64 {
	most := 0.0
	for m := range a.utilities {
		if a.worseThan(m) >= a.k-1 {
			most = max(most, a.relaxedWith(m, mix, most))
		}
	}
	return most
}

// worseThan counts the arms that may be in a question whose best arm is m: those of
// lower utility, or equal utility and a higher number.
func (a *arms) worseThan(m int) int {
	count := 0
	for i := range a.utilities {
		if a.below(i, m) {
			count++
		}
	}
	return count
}

func (a *arms) below(i, m int) bool {
	return a.utilities[i] < a.utilities[m] || a.utilities[i] == a.utilities[m] && i > m
}

// against is x_i, the odds of arm i against arm m.
func (a *arms) against(i, m int) float64 { return math.Exp(a.utilities[i] - a.utilities[m]) }

// relaxedWith bounds the value of the questions whose best arm is m. It stops early once
// the bound is at most enough.
func (a *arms) relaxedWith(m int, mix []weighted, enough float64) float64 {
	const steps = 30
	least := math.Inf(1)
	centre := make([]float64, len(mix))
	for c, alternative := range mix {
		centre[c] = alternative.shifts[m]
	}
	heights := make([]float64, len(a.utilities))
	for step := 1; step <= steps && least > enough; step++ {
		for i := range heights {
			heights[i] = 0
			for c, alternative := range mix {
				heights[i] += alternative.weight * a.form.above(alternative.shifts[i]-centre[c])
			}
		}
		bound, chosen := a.ratio(m, heights)
		least = min(least, bound)
		// The centre of the arms found, for each alternative.
		for c, alternative := range mix {
			sum, total := 0.0, 0.0
			for _, i := range chosen {
				weight := a.against(i, m)
				sum += weight * alternative.shifts[i]
				total += weight
			}
			centre[c] += (sum/total - centre[c]) / float64(step+1)
		}
	}
	return least
}

// above is ψ.
func (f Form) above(x float64) float64 {
	if f == Quadratic {
		return x * x / 2
	}
	return expSecond(x)
}

// ratio returns the largest (h_m + Σ x_i·h_i)/(1 + Σ x_i) over K−1 arms i below m, and m with these
// arms. For a guess t the best arms are those with the largest x_i·(h_i − t); their ratio is the
// next guess (Dinkelbach's method), and the last guess is the largest ratio.
func (a *arms) ratio(m int, heights []float64) (largest float64, chosen []int) {
	var candidates []int
	for i := range heights {
		if a.below(i, m) {
			candidates = append(candidates, i)
		}
	}
	gain := make([]float64, len(heights))
	guess := 0.0
	for {
		for _, i := range candidates {
			gain[i] = a.against(i, m) * (heights[i] - guess)
		}
		slices.SortFunc(candidates, func(i, j int) int { return compareDown(gain[i], gain[j]) })
		sum, total := heights[m], 1.0
		for _, i := range candidates[:a.k-1] {
			x := a.against(i, m)
			sum, total = sum+x*heights[i], total+x
		}
		if next := sum / total; next > guess*(1+1e-13) {
			guess = next
			continue
		}
		return guess * (1 + 1e-13*float64(a.k)), append([]int{m}, candidates[:a.k-1]...)
	}
}
