package evidence

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// A Prior is what choices recorded elsewhere say about θ: their log-likelihood is Score'θ −
// ½·θ'·Information·θ, to second order. Its size does not depend on the number of choices. A Prior
// guides a [Belief] and is no evidence.
type Prior struct {
	Score       []float64
	Information *mat.SymDense
}

// Discounted returns the prior with its choices counted as a share of them.
func (p Prior) Discounted(share float64) Prior {
	var scaled mat.SymDense
	scaled.ScaleSym(share, p.Information)
	return Prior{floats.ScaleTo(make([]float64, len(p.Score)), share, p.Score), &scaled}
}

// Belief returns the belief before the first answer.
func (p Prior) Belief() Belief {
	b := NewBelief(len(p.Score))
	h := mat.NewSymDense(len(p.Score), nil)
	h.CopySym(p.Information)
	b.SetInformation(h)
	for k := range b.Fitted {
		b.Fitted[k] = floats.Dot(b.Inverse[k*len(p.Score):(k+1)*len(p.Score)], p.Score)
	}
	copy(b.Theta, b.Fitted)
	return b
}

// informed is the likelihood of the answers and the choices of a prior together.
type informed struct {
	*choice.Linear

	prior Prior
}

// LogLikelihood returns ℓ(θ).
func (l informed) LogLikelihood(theta []float64) float64 {
	return l.Linear.LogLikelihood(theta) + l.ofPrior(theta)
}

func (l informed) ofPrior(theta []float64) float64 {
	at := mat.NewVecDense(len(theta), theta)
	return floats.Dot(l.prior.Score, theta) - mat.Inner(at, l.prior.Information, at)/2
}

// Derivatives sets the gradient and the information at θ.
func (l informed) Derivatives(theta, gradient []float64, information *mat.SymDense) {
	l.Linear.Derivatives(theta, gradient, information)
	l.derive(theta, gradient, information)
}

// Evaluate returns ℓ(θ) and sets its derivatives.
func (l informed) Evaluate(theta, gradient []float64, information *mat.SymDense) float64 {
	value := l.Linear.Evaluate(theta, gradient, information)
	l.derive(theta, gradient, information)
	return value + l.ofPrior(theta)
}

// derive adds the prior's part to the derivatives.
func (l informed) derive(theta, gradient []float64, information *mat.SymDense) {
	var slope mat.VecDense
	slope.MulVec(l.prior.Information, mat.NewVecDense(len(theta), theta))
	for k := range gradient {
		gradient[k] += l.prior.Score[k] - slope.AtVec(k)
	}
	information.AddSym(information, l.prior.Information)
}
