package theory

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// An asked question is one with a share in a mix.
type asked struct {
	question choice.Question
	share    float64
	picks    []float64 // probabilities at θ*
}

// weigh returns the questions that have a share, but for traces of one: leaving these
// out makes the mix no better.
func (a *arms) weigh(questions []choice.Question, mix []float64) []asked {
	var list []asked
	for i, share := range mix {
		if share > 1e-9 {
			list = append(list, asked{questions[i], share, a.shares(questions[i], nil)})
		}
	}
	return list
}

// nearest returns the rate at which a mix of questions tells θ* from the alternative
// nearest to it under which the arm is as good as the best one, and the shifts of the
// arms' utilities under that alternative. It solves
//
//	min_δ Σ_S w_S·D_S(δ)   subject to (a_j − a_1)'δ = Δ_1j,   δ = θ − θ*,
//
// which is convex, by Newton's method on the plane: the step is −H⁻¹(∇ + λg) with
// g = a_j − a_1 and λ = −g'H⁻¹∇/g'H⁻¹g. The rate is lowered by the squared Newton
// decrement, a bound on what is left to gain so near to the end, so that it is not
// over-estimated. A search that is surely above enough is cut short: its rate is then
// only known to be above.
func (a *arms) nearest(arm int, mix []asked, enough float64) (rate float64, shifts []float64) {
	g := mat.NewVecDense(a.rank, a.rows[arm])
	delta := mat.NewVecDense(a.rank, nil)
	shifts = make([]float64, len(a.rows))
	slope, hessian := mat.NewVecDense(a.rank, nil), mat.NewSymDense(a.rank, nil)
	var (
		factor        mat.Cholesky
		step, towards mat.VecDense
	)
	rate = math.Inf(1)
	const mostSteps = 100
	for at := range mostSteps {
		a.differentiate(mix, shifts, slope, hessian)
		if !factor.Factorize(hessian) {
			return 0, shifts // some difference is not seen at all, or next to
		}
		_ = factor.SolveVecTo(&towards, g) // ill-conditioned where the mix is poor; the mixes improve
		along := mat.Dot(g, &towards)
		if at == 0 { // to the plane, by the quadratic form
			delta.ScaleVec(a.gaps[arm]/along, &towards)
			a.shift(delta, shifts)
			rate = a.rateOf(mix, shifts)
			if a.form == Quadratic {
				return rate, shifts
			}
			continue
		}
		_ = factor.SolveVecTo(&step, slope)
		step.AddScaledVec(&step, -mat.Dot(g, &step)/along, &towards)
		step.ScaleVec(-1, &step)
		decrement := -mat.Dot(slope, &step)
		if decrement <= 1e-12*rate {
			return rate - max(decrement, 0), shifts
		}
		if decrement < 1e-3*rate && rate-decrement > enough {
			return rate - decrement, shifts
		}
		var moved bool
		if rate, moved = a.descend(mix, delta, &step, shifts, rate, decrement); !moved {
			return rate - decrement, shifts
		}
	}
	return 0, shifts
}

// descend moves along the step as far as it helps, by halving.
func (a *arms) descend(mix []asked, delta, step *mat.VecDense, shifts []float64, rate, decrement float64) (float64, bool) {
	var trial mat.VecDense
	moved := make([]float64, len(shifts))
	for length := 1.0; length > 1e-10; length /= 2 {
		trial.AddScaledVec(delta, length, step)
		a.shift(&trial, moved)
		if next := a.rateOf(mix, moved); next <= rate-0.1*length*decrement {
			delta.CopyVec(&trial)
			copy(shifts, moved)
			return next, true
		}
	}
	return rate, false
}

// shift sets the shifts of all arms' utilities by δ.
func (a *arms) shift(delta *mat.VecDense, shifts []float64) {
	for i, row := range a.rows {
		shifts[i] = 0
		for k, x := range row {
			shifts[i] += x * delta.AtVec(k)
		}
	}
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
func (a *arms) differentiate(mix []asked, shifts []float64, slope *mat.VecDense, hessian *mat.SymDense) {
	slope.Zero()
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
			for k, x := range a.rows[arm] {
				slope.SetVec(k, slope.AtVec(k)+asked.share*weight[slot]*x)
				mean[k] += tilted[slot] * x
			}
		}
		for slot, arm := range asked.question {
			for k, x := range a.rows[arm] {
				centred[k] = x - mean[k]
			}
			share := asked.share * tilted[slot]
			for k, x := range centred {
				for l := k; l < a.rank; l++ {
					cells[k*a.rank+l] += share * x * centred[l]
				}
			}
		}
	}
}
