package theory

import (
	"math"
	"slices"
)

// A Form selects the distance of an alternative truth from θ* for one question. It is a function of
// the probabilities p of the picks at θ* and of the shifts v_i = a_i'(θ − θ*) of the utilities.
type Form int

const (
	// Exact is KL(μ^S(θ*) ‖ μ^S(θ)) = log Σ p_i·e^{v_i} − Σ p_i·v_i.
	Exact Form = iota

	// Quadratic is ½·Var_p(v), the second-order part of Exact: ½‖θ − θ*‖² in the information of the
	// question at θ*.
	Quadratic
)

// divergence returns the distance.
func (f Form) divergence(p, v []float64) float64 {
	mean := 0.0
	for i, x := range v {
		mean += p[i] * x
	}
	sum := 0.0
	for i, x := range v {
		if f == Quadratic {
			sum += p[i] * (x - mean) * (x - mean) / 2
		} else {
			sum += p[i] * expSecond(x-mean)
		}
	}
	if f == Quadratic {
		return sum
	}
	if sum > 1 { // a large shift: this way neither loses digits nor overflows
		top, total := slices.Max(v), 0.0
		for i, x := range v {
			total += p[i] * math.Exp(x-top)
		}
		return top - mean + math.Log(total)
	}
	return math.Log1p(sum) // precise for small v
}

// derivatives sets slope to the gradient of the distance in v, and tilted to the
// probabilities whose covariance is its Hessian.
func (f Form) derivatives(p, v, slope, tilted []float64) {
	if f == Quadratic {
		mean := 0.0
		for i, x := range v {
			mean += p[i] * x
		}
		for i, x := range v {
			slope[i], tilted[i] = p[i]*(x-mean), p[i]
		}
		return
	}
	top, sum := slices.Max(v), 0.0
	for i, x := range v {
		tilted[i] = p[i] * math.Exp(x-top)
		sum += tilted[i]
	}
	for i := range v {
		tilted[i] /= sum
		slope[i] = tilted[i] - p[i]
	}
}

// expSecond returns e^x − 1 − x, to full precision also for small x.
func expSecond(x float64) float64 {
	if math.Abs(x) < 0.1 {
		// The series x²/2 + x³/6 + …; the eighth term is below 1e-16 of the first.
		sum := 0.0
		for n := 10; n >= 3; n-- {
			sum = (sum + 1) * x / float64(n)
		}
		return x * x / 2 * (1 + sum)
	}
	return math.Expm1(x) - x
}
