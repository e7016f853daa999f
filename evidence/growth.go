package evidence

import (
	"cmp"
	"math"
	"slices"
)

// growth returns the largest Var_q/Var_p − 1, q_i ∝ p_i·w_i, over all probabilities p whose odds differ
// from those of shares by at most e^r. The largest ratio is Λ/Z, where Z = Σ_i p_i·w_i, and Λ is the root of
//
//	Σ_i p_i·w_i/(w_i − Λ) = 0
//
// between the two largest w: the stationary v of Var_q(v) − λ·Var_p(v), with Σ p_i·v_i = 0, have v_i
// proportional to w_i/(w_i − Λ). Λ is largest if the arm with the largest w has the least odds, and Z is
// least if the arms with the least w have the largest.
func growth(shares, w []float64, r float64) float64 {
	order := make([]int, len(w))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(w[i], w[j]) })
	more := math.Expm1(min(r, 50))
	sum, total := 0.0, 1.0
	for i, p := range shares {
		sum += p * w[i]
	}
	least := sum
	for _, i := range order {
		sum += more * shares[i] * w[i]
		total += more * shares[i]
		least = min(least, sum/total)
	}
	top := order[len(order)-1]
	low, high := w[order[len(order)-2]], w[top]
	for range 30 {
		middle := (low + high) / 2
		s := shares[top] * w[top] / (w[top] - middle)
		for _, i := range order[:len(order)-1] {
			s -= (1 + more) * shares[i] * w[i] / (middle - w[i])
		}
		if s < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return high/least - 1
}
