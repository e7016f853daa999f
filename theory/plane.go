package theory

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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
