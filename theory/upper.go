package theory

import (
	"math"

	"bestpick/design"
)

// Upper holds the parameters of the paper's upper bounds.
type Upper struct {
	// Kappa is κ_α of the bound in the stopping rule. The theorems hold if it is at most
	// [Problem.Kappa].
	Kappa float64

	// Beta is the suboptimality of the strategy's questions: their value is within a factor 1+β of
	// the optimum. Defaults to 0.
	Beta float64

	// Alpha is α of the adaptive strategy.
	Alpha float64

	// Oracle is ρ* of [Problem.Oracle], for the adaptive strategy.
	Oracle float64
}

// Oracle returns ρ* = min_Λ max_j ‖a_1−a_j‖²_{V_Λ⁻¹}/Δ_1j², the width of the design of an oracle
// that knows the best arm and all gaps, within 1%.
func (p Problem) Oracle() (float64, error) {
	best, gaps := p.gaps()
	var toBest []contrast
	for arm, gap := range gaps {
		switch {
		case arm == best:
		case gap == 0:
			return 0, ErrTie
		default:
			toBest = append(toBest, contrast{best, arm, gap})
		}
	}
	const gap, steps = 0.01, 20_000
	width, _, err := optimalWidth(p.Catalogue, toBest, gap, steps)
	return width, err
}

// UpperStatic returns the largest number of questions that the static strategy takes with
// probability 1 − δ (Theorem 2 for XY, its counterpart in the appendix for G): the largest τ with
//
//	τ ≤ c·(1+β)/(κ²Δ_min²)·(d + log(3N²τ²/δ))·d/K,   c = 512 for XY and 256 for G.
func (p Problem) UpperStatic(criterion design.Criterion, u Upper) (float64, error) {
	best, gaps := p.gaps()
	smallest, _ := twoSmallest(best, gaps)
	if smallest == 0 {
		return 0, ErrTie
	}
	c := 512.0
	if criterion == design.G {
		c = 256
	}
	d := float64(p.Catalogue.Dim())
	factor := c * (1 + u.Beta) / square(u.Kappa*smallest) * d / float64(p.K)
	return largest(func(tau float64) float64 { return factor * p.logTerm(tau) }), nil
}

// UpperAdaptive returns the largest number of questions that the adaptive strategy takes with
// probability 1 − δ (the theorem of the appendix "Adaptive Strategy"): the largest τ with
//
//	τ ≤ (1+β)·max{M*, (16/α)·N*}·log(256·(d + log(3N²τ²/δ))/(KΔ_min²κ²))/log(1/α),
//
// where the number of batches is at least one.
//
// N* is the need of an oracle that knows the best arm and all gaps, the smallest t with 64·(d +
// log(3N²t²/δ))·ρ*/(κ²K) ≤ t, where ρ* is that of [Problem.Oracle].
//
// M* is the need of a static strategy to rule out all pairs without the best arm, the smallest t
// with 64·(d + log(3N²t²/δ))·ρ/(κ²K) < t·ε*², where ρ is that of its design: at most 4(1+β)d, since
// ‖a_i−a_j‖² ≤ 4·max‖a‖² and the best design for single arms has d. (Equation 8 of the paper has
// 2(1+β)d, which already two opposite arms exceed; the constants of [Problem.UpperStatic] rest on
// it and are the paper's.) Here ε* is the least ε such that some θ with |(θ−θ*)'g| ≤ ε for all
// differences g makes two arms i, j ≠ 1 best. Such a θ takes the lead of the best arm from both, so
// ε* is at least the larger of their gaps. It is therefore at least the second smallest gap, which
// replaces it here: the result is still an upper bound. With one other arm there is no such pair,
// and M* is 0.
func (p Problem) UpperAdaptive(u Upper) (float64, error) {
	best, gaps := p.gaps()
	smallest, second := twoSmallest(best, gaps)
	if smallest == 0 {
		return 0, ErrTie
	}
	k := float64(p.K)
	needs := func(rho float64) float64 {
		return largest(func(t float64) float64 { return 64 / (u.Kappa * u.Kappa * k) * rho * p.logTerm(t) })
	}
	pairs := needs(4 * (1 + u.Beta) * float64(p.Catalogue.Dim()) / square(second))
	length := (1 + u.Beta) * max(pairs, 16/u.Alpha*needs(u.Oracle))
	return largest(func(tau float64) float64 {
		batches := math.Log(256*p.logTerm(tau)/(k*square(smallest*u.Kappa))) / math.Log(1/u.Alpha)
		return length * max(batches, 1)
	}), nil
}

// logTerm returns d + log(3N²τ²/δ).
func (p Problem) logTerm(tau float64) float64 {
	n := float64(p.Catalogue.Len())
	return float64(p.Catalogue.Dim()) + math.Log(3*n*n/p.Delta) + 2*math.Log(tau)
}

// largest returns the largest τ ≥ 1 with τ ≤ bound(τ), or 1 if there is none, for a bound that
// grows ever more slowly with τ. From above, τ ← bound(τ) decreases towards it.
func largest(bound func(tau float64) float64) float64 {
	tau := 2.0
	for !(bound(tau) <= tau) {
		if tau = 2 * bound(tau); !(tau <= math.MaxFloat64) {
			return math.Inf(1)
		}
	}
	for tau > 1 {
		next := max(bound(tau), 1)
		if next >= tau*(1-1e-14) {
			return next
		}
		tau = next
	}
	return 1
}

func square(x float64) float64 { return x * x }
