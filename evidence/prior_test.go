package evidence

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestInformedDerivatives: the gradient and the information of a likelihood with a prior are its finite
// differences.
func TestInformedDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	arms := randomArms(t, rng, 6, 3)
	tally := choice.NewTally(6)
	for range 30 {
		if err := tally.Add(choice.Answer{Question: rng.Perm(6)[:3], Picks: []int{rng.IntN(3)}}); err != nil {
			t.Fatal(err)
		}
	}
	prior := Prior{Score: randomVector(rng, 3, 5), Information: mat.NewSymDense(3, []float64{4, 1, 0, 1, 3, 1, 0, 1, 2})}
	l := informed{choice.NewLinear(arms, tally), prior.Discounted(0.5)}
	theta, gradient, information := randomVector(rng, 3, 1), make([]float64, 3), mat.NewSymDense(3, nil)
	value := l.Evaluate(theta, gradient, information)
	approx.Equal(t, "value", value, l.LogLikelihood(theta), 1e-12)
	const step = 1e-5
	above, below, scratch := make([]float64, 3), make([]float64, 3), mat.NewSymDense(3, nil)
	for k := range theta {
		theta[k] += step
		high := l.LogLikelihood(theta)
		l.Derivatives(theta, above, scratch)
		theta[k] -= 2 * step
		low := l.LogLikelihood(theta)
		l.Derivatives(theta, below, scratch)
		theta[k] += step
		approx.Equal(t, "slope", gradient[k], (high-low)/(2*step), 1e-6)
		for j := range theta {
			approx.Equal(t, "information", information.At(k, j), (below[j]-above[j])/(2*step), 1e-6)
		}
	}
}

// TestPriorBelief: before the first answer the belief is where a fit without answers ends.
func TestPriorBelief(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	arms := randomArms(t, rng, 6, 3)
	prior := Prior{Score: randomVector(rng, 3, 5), Information: mat.NewSymDense(3, []float64{4, 1, 0, 1, 3, 1, 0, 1, 2})}
	want, fitted := prior.Belief(), NewBelief(3)
	fitted.FitInformed(choice.NewLinear(arms, choice.NewTally(6)), prior)
	approx.EqualSlices(t, "θ", fitted.Fitted, want.Fitted, 1e-9)
	approx.EqualSlices(t, "H⁻¹", fitted.Inverse, want.Inverse, 1e-9)
}
