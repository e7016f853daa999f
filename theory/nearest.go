package theory

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// An asked is a question with its share in a mix.
type asked struct {
	question choice.Question
	share    float64
	picks    []float64 // probabilities at θ*
}

// weigh returns the questions with more than a negligible share. Omitting the others makes the mix
// no better.
func (a *arms) weigh(questions []choice.Question, mix []float64) []asked {
	var list []asked
	for i, share := range mix {
		if share > 1e-9 {
			list = append(list, asked{questions[i], share, a.shares(questions[i], nil)})
		}
	}
	return list
}

// nearest returns a lower bound on the rate at which a mix of questions distinguishes θ* from any
// alternative under which the arm is as good as the best, and the shifts of the arms' utilities
// under the nearest alternative found. It solves
//
//	min_δ Σ_S w_S·D_S(δ)   subject to (a_j − a_1)'δ = Δ_1j,   δ = θ − θ*,
//
// which is convex, by Newton's method in coordinates y of the plane, δ = δ_0 + Py, so that every
// iterate is an alternative. A step s that opens a range r of utilities within a question certainly
// gains when shortened to log(1+r)/r of its length, by inequality (a) of [choice.Estimator].
//
// With λ the Newton decrement, the remaining gain is at most λ² once a step opens a range below
// settled; the rate returned is lower by that. If the search does not get there, the bound is 0.
// The search stops early if the bound exceeds enough.
func (a *arms) nearest(arm int, mix []asked, enough float64) (rate float64, shifts []float64) {
	const (
		maxSteps = 200
		settled  = 0.5
	)
	plane := newPlane(a.rows[arm])
	delta := a.startOn(plane, arm, mix)
	shifts = make([]float64, len(a.rows))
	a.shift(delta, shifts)
	slope, hessian := make([]float64, a.rank), mat.NewSymDense(a.rank, nil)
	rate = a.rateOf(mix, shifts)
	for range maxSteps {
		a.differentiate(mix, shifts, slope, hessian)
		step, squared := plane.newton(slope, hessian)
		if step == nil || !(squared >= 0) {
			break
		}
		r := a.rangeOf(mix, step)
		if r <= settled && (squared <= 1e-10*rate || squared <= 1e-3*rate && rate-squared > enough) {
			return max(rate-squared, 0), shifts
		}
		next, moved := a.descend(mix, delta, step, shifts, rate, r)
		if !moved {
			if r <= settled {
				return max(rate-squared, 0), shifts
			}
			break
		}
		rate = next
	}
	return 0, shifts
}

// startOn returns a point of the plane: the minimum of the quadratic form at θ*, or the nearest
// point in the coordinates, whichever has the lower rate.
func (a *arms) startOn(plane plane, arm int, mix []asked) []float64 {
	gap := a.gaps[arm]
	start := make([]float64, a.rank)
	floats.AddScaled(start, gap/floats.Dot(plane.normal, plane.normal), plane.normal)
	slope, hessian := make([]float64, a.rank), mat.NewSymDense(a.rank, nil)
	shifts := make([]float64, len(a.rows))
	a.differentiate(mix, shifts, slope, hessian)
	var factor mat.Cholesky
	if !factor.Factorize(hessian) {
		return start
	}
	var towards mat.VecDense
	if factor.SolveVecTo(&towards, mat.NewVecDense(a.rank, plane.normal)) != nil {
		return start // ill-conditioned
	}
	quadratic := make([]float64, a.rank)
	along := floats.Dot(plane.normal, towards.RawVector().Data)
	floats.AddScaled(quadratic, gap/along, towards.RawVector().Data)
	a.shift(start, shifts)
	plain := a.rateOf(mix, shifts)
	a.shift(quadratic, shifts)
	if a.rateOf(mix, shifts) < plain {
		return quadratic
	}
	return start
}

// descend moves along the step as far as that lowers the rate, at least by the safe length.
func (a *arms) descend(mix []asked, delta, step, shifts []float64, rate, r float64) (float64, bool) {
	safe := 1.0
	if r > 0 {
		safe = min(1, math.Log1p(r)/r)
	}
	trial, moved := make([]float64, len(delta)), make([]float64, len(shifts))
	for length := 1.0; ; length = max(length/2, safe) {
		floats.AddScaledTo(trial, delta, length, step)
		a.shift(trial, moved)
		next := a.rateOf(mix, moved)
		if next < rate {
			copy(delta, trial)
			copy(shifts, moved)
			return next, true
		}
		if length <= safe {
			return rate, false
		}
	}
}

// shift sets the shifts of all arms' utilities by δ.
func (a *arms) shift(delta, shifts []float64) {
	for i, row := range a.rows {
		shifts[i] = floats.Dot(row, delta)
	}
}

// rangeOf returns the widest range of utilities that a step opens within a question.
func (a *arms) rangeOf(mix []asked, step []float64) float64 {
	widest := 0.0
	for _, asked := range mix {
		low, high := math.Inf(1), math.Inf(-1)
		for _, arm := range asked.question {
			u := floats.Dot(a.rows[arm], step)
			low, high = min(low, u), max(high, u)
		}
		widest = max(widest, high-low)
	}
	return widest
}

func (a *arms) rateOf(mix []asked, shifts []float64) float64 {
	sum := 0.0
	v := make([]float64, a.k)
	for _, asked := range mix {
		for slot, arm := range asked.question {
			v[slot] = shifts[arm]
		}
		sum += asked.share * a.form.divergence(asked.picks, v)
	}
	return sum
}

// differentiate sets the gradient and the Hessian of the rate in δ.
func (a *arms) differentiate(mix []asked, shifts, slope []float64, hessian *mat.SymDense) {
	clear(slope)
	hessian.Zero()
	v, weight, tilted := make([]float64, a.k), make([]float64, a.k), make([]float64, a.k)
	mean, centred := make([]float64, a.rank), make([]float64, a.rank)
	cells := hessian.RawSymmetric().Data
	for _, asked := range mix {
		for slot, arm := range asked.question {
			v[slot] = shifts[arm]
		}
		a.form.derivatives(asked.picks, v, weight, tilted)
		clear(mean)
		for slot, arm := range asked.question {
			floats.AddScaled(slope, asked.share*weight[slot], a.rows[arm])
			floats.AddScaled(mean, tilted[slot], a.rows[arm])
		}
		for slot, arm := range asked.question {
			floats.SubTo(centred, a.rows[arm], mean)
			share := asked.share * tilted[slot]
			for k, x := range centred {
				for l := k; l < a.rank; l++ {
					cells[k*a.rank+l] += share * x * centred[l]
				}
			}
		}
	}
}

// A plane is the orthogonal complement of a normal, with an orthonormal basis P: the columns but
// the first of the Householder reflection that takes the normal to the first axis.
type plane struct {
	normal []float64
	basis  *mat.Dense // nil if the plane is a point
}

func newPlane(normal []float64) plane {
	d := len(normal)
	if d == 1 {
		return plane{normal: normal}
	}
	u := append([]float64(nil), normal...)
	u[0] += math.Copysign(floats.Norm(normal, 2), u[0])
	square := floats.Dot(u, u)
	basis := mat.NewDense(d, d-1, nil)
	for i := range d {
		for j := 1; j < d; j++ {
			x := -2 * u[i] * u[j] / square
			if i == j {
				x++
			}
			basis.Set(i, j-1, x)
		}
	}
	return plane{normal, basis}
}

// newton returns the Newton step within the plane for a function with the given slope and Hessian,
// and the squared decrement. Directions without curvature get no step. The step is nil if it cannot
// be computed.
func (p plane) newton(slope []float64, hessian *mat.SymDense) (step []float64, squared float64) {
	step = make([]float64, len(slope))
	if p.basis == nil {
		return step, 0
	}
	_, m := p.basis.Dims()
	var product, within mat.Dense
	product.Mul(hessian, p.basis)
	within.Mul(p.basis.T(), &product)
	reduced, trace := mat.NewSymDense(m, nil), 0.0
	for i := range m {
		trace += within.At(i, i)
		for j := i; j < m; j++ {
			reduced.SetSym(i, j, (within.At(i, j)+within.At(j, i))/2)
		}
	}
	var gradient, y mat.VecDense
	gradient.MulVec(p.basis.T(), mat.NewVecDense(len(slope), slope))
	var factor mat.Cholesky
	for damping := 1e-14; ; damping *= 100 {
		for i := range m {
			reduced.SetSym(i, i, within.At(i, i)+damping*trace)
		}
		if factor.Factorize(reduced) {
			break
		}
		if damping > 1 || !(trace > 0) {
			return nil, 0
		}
	}
	_ = factor.SolveVecTo(&y, &gradient) // damped, so good enough to descend
	y.ScaleVec(-1, &y)
	mat.NewVecDense(len(step), step).MulVec(p.basis, &y)
	return step, -floats.Dot(slope, step)
}
