package evidence

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// A mixture is F of [Look.TiltedInfimum].
type mixture struct {
	*expanded

	evidence *Anytime
	ball     *neighbourhood
	u        float64   // 1 if F is convex for no other
	pi, rho  []float64 // of the starts
	counts   []float64 // n_q
	wins     []float64 // picks of the seen arms that π counts
	constant float64
}

// newMixture chooses u, π and ϱ.
func newMixture(a *Anytime, e *expanded, b *neighbourhood) *mixture {
	m := &mixture{expanded: e, evidence: a, ball: b}
	a.value(b.theta)
	m.choose(slices.Clone(a.values))
	if !(m.u < 1) {
		return m
	}
	m.counts, m.wins = m.counted(m.pi), slices.Clone(a.tally.Wins())
	g := a.state.Predicted
	for k, start := range a.state.Starts {
		floats.AddScaled(m.wins[:len(start.Wins)], -m.pi[k], start.Wins)
		g -= m.pi[k] * start.Predicted
		if m.pi[k] > 0 {
			g += m.pi[k] * math.Log(start.Weight/m.pi[k])
		}
	}
	f := e.tilt.Picked
	for k, start := range e.tilt.Starts {
		f -= m.rho[k] * start.Picked
		if m.rho[k] > 0 {
			f += m.rho[k] * math.Log(start.Weight/m.rho[k])
		}
	}
	m.constant = m.u*g + (1-m.u)*f - m.u*math.Log(m.u) - (1-m.u)*math.Log1p(-m.u)
	return m
}

// counted returns the answers to each question that the starts of G count, weighted by π.
func (m *mixture) counted(pi []float64) []float64 {
	counts := slices.Clone(m.evidence.tally.Asked())
	for k, start := range m.evidence.state.Starts {
		if pi[k] > 0 {
			floats.AddScaled(counts[:len(start.Asked)], -pi[k], start.Asked)
		}
	}
	return counts
}

// An option is a choice of π and ϱ.
type option struct {
	g, f           float64 // at θ_1
	pi, rho        []float64
	excess, counts []float64
	guess          float64
}

// total returns F(θ_1).
func (o *option) total(u float64) float64 {
	if u <= 0 || u >= 1 {
		return math.Inf(-1)
	}
	return u*o.g + (1-u)*o.f - u*math.Log(u) - (1-u)*math.Log1p(-u)
}

// choose sets u, π and ϱ: in proportion to the capital at θ_1, of the earlier starts of G and the later
// starts of the tilts. The largest F(θ_1) wins, among the three that seem best.
func (m *mixture) choose(values []float64) {
	growths := m.growths()
	m.u = 1
	var counts, pis [][]float64
	for k := range values {
		pi := make([]float64, len(values))
		choice.Probabilities(pi[:k+1], values[:k+1])
		pis, counts = append(pis, pi), append(counts, m.counted(pi))
	}
	var options []option
	for first := range m.values {
		rho := make([]float64, len(m.values))
		choice.Probabilities(rho[first:], m.values[first:])
		excess := m.excess(rho, growths)
		f := choice.LogSumExp(m.values[first:])
		for k := range values {
			o := option{g: choice.LogSumExp(values[:k+1]), f: f, pi: pis[k], rho: rho, excess: excess, counts: counts[k]}
			o.guess = o.total(surelyConvexFrom(excess, counts[k]))
			options = append(options, o)
		}
	}
	slices.SortStableFunc(options, func(a, b option) int { return cmp.Compare(b.guess, a.guess) })
	best := math.Inf(-1)
	for _, o := range options[:min(len(options), 3)] {
		u := m.convexFrom(o.excess, o.counts)
		if total := o.total(u); u < 1 && total > best {
			best, m.u, m.pi, m.rho = total, u, o.pi, o.rho
		}
	}
}

// growths returns the growth of each term in B.
func (m *mixture) growths() []float64 {
	growths := make([]float64, len(m.terms))
	for i, t := range m.terms {
		slots := len(m.places(t))
		growths[i] = growth(m.shares[t.slot:][:slots], m.factors[t.slot:][:slots], m.ball.radius*m.ball.widths[t.question])
	}
	return growths
}

// excess returns Σ_b n_qb·growth of every question.
func (m *mixture) excess(rho, growths []float64) []float64 {
	excess := make([]float64, len(m.evidence.tally.Asked()))
	for i, t := range m.terms {
		excess[t.question] += t.asked * m.mixed(t, rho) * growths[i]
	}
	return excess
}

// surelyConvexFrom returns the smallest u for which no b_q of [mixture.convex] is negative.
func surelyConvexFrom(excess, counts []float64) float64 {
	u := leastShare
	for q, x := range excess {
		if x > 0 {
			u = max(u, x/(x+max(counts[q], 0)))
		}
	}
	return u
}

// leastShare is the least u: smaller ones have no advantage.
const leastShare = 1e-3

// convexFrom returns about the smallest u for which F is convex in B.
func (m *mixture) convexFrom(excess, counts []float64) float64 {
	low, high := 0.0, surelyConvexFrom(excess, counts)
	for range 5 {
		if middle := (low + high) / 2; middle >= leastShare && m.convex(middle, excess, counts) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// convex reports whether Σ_q b_q·Cov_q(θ) is positive definite for all θ in B, where b_q = u·n_q − (1−u)·excess_q. A range of r
// in the utilities of a question changes its probabilities by factors within e^{±r}, and thereby Cov_q. So it is enough that the
// sum is positive definite with Cov_q(θ_1), e^{−r_q} times where b_q is positive, and e^{r_q} times elsewhere.
func (m *mixture) convex(u float64, excess, counts []float64) bool {
	a := m.evidence
	d := a.arms.Dim()
	sum, part := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	a.counts = resized(a.counts, len(counts))
	negative := false
	for q, n := range counts {
		b := u*n - (1-u)*excess[q]
		a.counts[q] = b * math.Exp(-m.ball.radius*m.ball.widths[q])
		negative = negative || b < 0
	}
	if !negative {
		return true
	}
	a.addInformation(sum)
	for q, n := range counts {
		a.counts[q] = ((1-u)*excess[q] - u*n) * math.Exp(m.ball.radius*m.ball.widths[q])
	}
	a.addInformation(part)
	part.ScaleSym(-1, part)
	sum.AddSym(sum, part)
	var factor mat.Cholesky
	return factor.Factorize(sum) && factor.Cond() < 1e10
}

// infimum returns a lower bound on F over B and the half-space.
func (m *mixture) infimum(lead []float64, epsilon float64) (found, distance float64) {
	d := len(lead)
	g := make([]float64, d)
	floats.AddScaled(g, -1, lead)
	normal := mat.NewVecDense(d, g)
	theta, trial, gradient, hessian := slices.Clone(m.ball.theta), make([]float64, d), make([]float64, d), mat.NewSymDense(d, nil)
	value := m.value(theta)
	var factor mat.Cholesky
	var towards, step mat.VecDense
	for range maxSteps {
		m.differentiate(gradient, hessian)
		if !factor.Factorize(hessian) {
			return math.Inf(-1), 0
		}
		_ = factor.SolveVecTo(&towards, normal)
		_ = factor.SolveVecTo(&step, mat.NewVecDense(d, gradient))
		mu := floats.Dot(g, step.RawVector().Data) / floats.Dot(g, towards.RawVector().Data)
		step.AddScaledVec(&step, -mu, &towards)
		squared := floats.Dot(gradient, step.RawVector().Data)
		if squared < 1e-6 {
			return m.settle(theta, gradient, g, value, mu, epsilon)
		}
		next, ok := m.descend(theta, trial, step.RawVector().Data, value, squared)
		if !ok {
			return math.Inf(-1), 0
		}
		value = next
	}
	return math.Inf(-1), 0
}

// settle measures the error of the search, and the distance of its end from θ_1 in the metric of B.
func (m *mixture) settle(theta, gradient, g []float64, value, mu, epsilon float64) (found, distance float64) {
	moved := mat.NewVecDense(len(theta), floats.SubTo(make([]float64, len(theta)), theta, m.ball.theta))
	var scaled mat.VecDense
	scaled.MulVec(m.ball.metric.RawU(), moved)
	distance = mat.Norm(&scaled, 2)
	if !(mu >= 0) {
		return math.Inf(-1), distance
	}
	floats.AddScaled(gradient, -mu, g)
	beyond := max(0, floats.Dot(g, theta)-epsilon) // beyond the plane by rounding
	return value - 2*m.ball.radius*inverseNorm(&m.ball.metric, gradient) - mu*beyond, distance
}

// descend moves theta against a step as far as that lowers F.
func (m *mixture) descend(theta, trial, step []float64, value, slope float64) (float64, bool) {
	for length := 1.0; length > 1e-8; length /= 2 {
		floats.AddScaledTo(trial, theta, -length, step)
		if next := m.value(trial); next <= value-0.1*length*slope {
			copy(theta, trial)
			return next, true
		}
	}
	return value, false
}

// value returns F(θ), and stores its terms for differentiate.
func (m *mixture) value(theta []float64) float64 {
	a := m.evidence
	a.value(theta)
	sum := m.constant + m.u*(floats.Dot(m.counts, a.logs)-floats.Dot(m.wins, a.utilities))
	m.evaluateAt(a.utilities)
	for at, t := range m.terms {
		sum -= (1 - m.u) * m.mixed(t, m.rho) * t.asked * m.logs[at]
	}
	return sum
}

// differentiate sets the gradient and the Hessian of F, after value.
func (m *mixture) differentiate(gradient []float64, hessian *mat.SymDense) {
	a := m.evidence
	seen := a.tally.Seen()
	d := len(gradient)
	picks := make([]float64, len(seen))
	a.expect(picks, m.counts)
	a.counts = resized(a.counts, len(m.counts))
	copy(a.counts, m.counts)
	a.addInformation(hessian)
	hessian.ScaleSym(m.u, hessian)
	for i := range picks {
		picks[i] = m.u * (picks[i] - m.wins[i])
	}
	cells := hessian.RawSymmetric().Data
	plain, tilted := make([]float64, d), make([]float64, d)
	for at, t := range m.terms {
		n := (1 - m.u) * m.mixed(t, m.rho) * t.asked
		scale := math.Exp(-m.logs[at])
		clear(plain)
		clear(tilted)
		shares, factors := m.shares[t.slot:], m.factors[t.slot:]
		for i, place := range m.places(t) {
			p := shares[i]
			q := p * factors[i] * scale
			picks[place] += n * (p - q)
			x := a.arms.Arm(seen[place])
			floats.AddScaled(plain, p, x)
			floats.AddScaled(tilted, q, x)
			for k := range d {
				w := n * (p - q) * x[k]
				row := cells[k*d : (k+1)*d]
				for l := k; l < d; l++ {
					row[l] += w * x[l]
				}
			}
		}
		for k := range d {
			row := cells[k*d : (k+1)*d]
			for l := k; l < d; l++ {
				row[l] -= n * (plain[k]*plain[l] - tilted[k]*tilted[l])
			}
		}
	}
	clear(gradient)
	for i, arm := range seen {
		floats.AddScaled(gradient, picks[i], a.arms.Arm(arm))
	}
}

// growth returns the largest Var_q/Var_p − 1, q_i ∝ p_i·w_i, over all probabilities p whose odds differ
// from those of shares by at most e^r. The largest ratio is Λ/Z, where Z = Σ_i p_i·w_i, and Λ is the root of
//
//	Σ_i p_i·w_i/(w_i − Λ) = 0
//
// between the two largest w: the stationary v of Var_q(v) − λ·Var_p(v), with Σ p_i·v_i = 0, have v_i
// proportional to w_i/(w_i − Λ). Λ is largest if the arm with the largest w has the least odds, and Z is
// least if the arms with the least w have the largest.
func growth(shares, w []float64, r float64) float64 {
	order := choice.UpTo(len(w))
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
