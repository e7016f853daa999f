package theory

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A nearTruth is a truth under which another arm is best: θ^j of the paper.
type nearTruth struct {
	arm   int       // j
	theta []float64 // θ^j

	// divergence is the largest divergence of one question between θ* and θ^j: an upper bound on
	// KL(μ^S(θ*) ‖ μ^S(θ^j)) over all questions S of K arms.
	divergence float64
}

// alternatives returns, for every arm j but the best, the θ^j nearest to θ* that makes j better
// than the best arm by ε and leaves the utilities of all other arms unchanged (equations 10 and
// 11):
//
//	θ^j = θ* − (ε + Δ_1j)/‖a_1−a_j‖²_{F_j}·F_j(a_1 − a_j),   F_j = I − A_j(A_j'A_j)⁻¹A_j',
//
// where the columns of A_j are all arms but j. It returns an error if the number of arms differs
// from the number of features, or if the arms are dependent.
func (p Problem) alternatives(epsilon float64) ([]nearTruth, error) {
	n, d := p.Catalogue.Len(), p.Catalogue.Dim()
	if n != d {
		return nil, fmt.Errorf("the theorem needs as many arms as features, got %d arms and %d features", n, d)
	}
	best, gaps := p.gaps()
	scaled, unit := p.scaled()
	var all []nearTruth
	for j := range n {
		if j == best {
			continue
		}
		// F_j projects on the line orthogonal to all arms but j. A QR factorisation of A_j with a_j
		// as the last column gives its direction.
		a := mat.NewDense(d, d, nil)
		column := 0
		for i := range n {
			if i != j {
				a.SetCol(column, scaled[i])
				column++
			}
		}
		a.SetCol(d-1, scaled[j])
		var qr mat.QR
		qr.Factorize(a)
		if qr.Cond() > 1e12 {
			return nil, fmt.Errorf("the theorem needs linearly independent arms, but %q depends on others", p.Catalogue.ID(j))
		}
		var q mat.Dense
		qr.QTo(&q)
		normal := q.ColView(d - 1) // F_j = normal·normal'
		lead := 0.0                // normal'(a_1 − a_j)
		for k := range d {
			lead += normal.AtVec(k) * (scaled[best][k] - scaled[j][k])
		}
		alternative := nearTruth{arm: j, theta: make([]float64, d)}
		for k := range d {
			alternative.theta[k] = p.Theta[k] - (epsilon+gaps[j])/lead*normal.AtVec(k)*unit[k]
		}
		alternative.divergence = p.maxDivergence(j, gaps, epsilon+gaps[j])
		all = append(all, alternative)
	}
	return all, nil
}

// scaled returns the arms with every feature divided by its largest value, and the inverse of that
// value. As many independent arms as features determine θ by their utilities, so θ^j does not
// depend on the units, which could otherwise make arms look dependent.
func (p Problem) scaled() (rows [][]float64, unit []float64) {
	unit = make([]float64, p.Catalogue.Dim())
	for k := range unit {
		largest := 0.0
		for i := range p.Catalogue.Len() {
			largest = max(largest, math.Abs(p.Catalogue.Arm(i)[k]))
		}
		if unit[k] = 1; largest > 0 {
			unit[k] = 1 / largest
		}
	}
	for i := range p.Catalogue.Len() {
		row := make([]float64, len(unit))
		for k, x := range p.Catalogue.Arm(i) {
			row[k] = x * unit[k]
		}
		rows = append(rows, row)
	}
	return rows, unit
}

// maxDivergence bounds KL(μ^S(θ*) ‖ μ^S(θ^j)) over all questions S. It is zero if S does not show
// j, and otherwise f_α(x) = log(1 + x(e^α − 1)) − αx with x = μ_j^S(θ*) and α = Δ_1j + ε, which
// rises up to x* = 1/α − 1/(e^α − 1) and falls beyond. x lies between the share of j among the K−1
// best and among the K−1 worst of the other arms.
func (p Problem) maxDivergence(j int, gaps []float64, alpha float64) float64 {
	others := make([]float64, 0, len(gaps)-1)
	for i, gap := range gaps {
		if i != j {
			others = append(others, gaps[j]-gap)
		}
	}
	least, most := extremeShares(others, p.K)
	peak := 0.5 - alpha/12 // the limit; the formula would cancel
	if alpha > 1e-3 {
		peak = 1/alpha - 1/math.Expm1(alpha)
	}
	x := min(max(peak, least), most)
	return Exact.divergence([]float64{x, 1 - x}, []float64{alpha, 0})
}

// extremeShares returns the smallest and the largest 1/(1 + Σ e^{x_i}) over all choices
// of k−1 of the numbers x_i.
func extremeShares(xs []float64, k int) (least, most float64) {
	slices.Sort(xs)
	share := func(chosen []float64) float64 {
		sum := 1.0
		for _, x := range chosen {
			sum += math.Exp(x)
		}
		return 1 / sum
	}
	return share(xs[len(xs)-k+1:]), share(xs[:k-1])
}

// LowerTheorem returns the least average number of questions of K different arms for a strategy
// that errs with probability at most δ for every θ (Theorem 3):
//
//	(1 − 1/K)/e·Σ_{j≥2} 1/Δ_1j²·log(1/(2.4δ)),
//
// which is the limit of the theorem's bound for ε → 0. It returns an error if a condition fails: as
// many arms as features, linearly independent, and all gaps below 1.
//
// The paper's proof bounds KL(μ^S(θ*) ‖ μ^S(θ^j)) by e/(K−1)·(Δ_1j+ε)² "for large enough K", which
// its argument shows for K ≥ 12. The theorem holds for smaller K too: that divergence is log E
// e^{α(B−x)} for a Bernoulli variable B with mean x, at most α²/8 by Hoeffding's lemma, and 1/8 ≤
// e/(K−1) for K ≤ 22.
//
// sharp is the bound that the same proof gives with the divergences themselves, Σ_j
// log(1/(2.4δ))/(K·max_S KL), instead of that estimate of them.
func (p Problem) LowerTheorem() (bound, sharp float64, err error) {
	if p.K > p.Catalogue.Len() {
		return 0, 0, fmt.Errorf( //nolint:staticcheck // K is a symbol
			"K must be at most the number of arms, got K = %d and %d arms", p.K, p.Catalogue.Len())
	}
	best, gaps := p.gaps()
	if smallest, _ := twoSmallest(best, gaps); smallest == 0 {
		return 0, 0, ErrTie
	}
	alternatives, err := p.alternatives(0)
	if err != nil {
		return 0, 0, err
	}
	k, evidence := float64(p.K), p.LogError()
	for _, alternative := range alternatives {
		gap := gaps[alternative.arm]
		if gap >= 1 {
			return 0, 0, fmt.Errorf("the theorem needs gaps below 1, but the gap of %q is %.4g", p.Catalogue.ID(alternative.arm), gap)
		}
		bound += (1 - 1/k) / math.E / square(gap) * evidence
		sharp += evidence / (k * alternative.divergence)
	}
	return bound, sharp, nil
}

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
