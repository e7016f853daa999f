package evidence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// A Belief predicts answers. It approximates the posterior of θ in whitened coordinates ([choice.Whiten]) by a normal
// distribution around θ̂ with covariance H⁻¹, where H is the information of the answers and of the prior. Between two fits θ
// follows each pick by a Newton step. A Belief is not safe for concurrent use.
type Belief struct {
	Theta   []float64 `json:"theta"`   // θ of the predictions
	Fitted  []float64 `json:"fitted"`  // θ̂ of the last fit
	Inverse []float64 `json:"inverse"` // H⁻¹ of the last fit

	solved map[solution][]float64 // H⁻¹x of arms that were predicted since the last fit
}

// A solution is an arm of a catalogue.
type solution struct {
	arms *choice.Catalogue
	arm  int
}

// PriorPrecision is the prior's information about every coordinate: utilities are expected to
// have a standard deviation of about 1.3 over the arms.
const PriorPrecision = 0.6

// NewBelief returns the prior belief in d dimensions.
func NewBelief(d int) Belief {
	b := Belief{Theta: make([]float64, d), Fitted: make([]float64, d), Inverse: make([]float64, d*d)}
	for k := range d {
		b.Inverse[k*d+k] = 1 / PriorPrecision
	}
	return b
}

// Fit re-estimates θ, starting from the last fit, and sets H.
func (b *Belief) Fit(linear *choice.Linear) { b.fit(linear) }

// FitInformed is Fit with a prior, which must be the one that the belief began with.
func (b *Belief) FitInformed(linear *choice.Linear, p Prior) { b.fit(informed{linear, p}) }

func (b *Belief) fit(likelihood choice.Likelihood) {
	estimator := choice.Estimator{RidgeOnSum: PriorPrecision / 2, Tolerance: 1e-8}
	_, _ = estimator.Fit(likelihood, b.Fitted) // with a ridge the maximum exists
	copy(b.Theta, b.Fitted)
	d := len(b.Theta)
	information := mat.NewSymDense(d, nil)
	likelihood.Derivatives(b.Fitted, make([]float64, d), information)
	b.SetInformation(information)
}

// Observed returns the belief with the H of the answers alone, without that of a [Prior]: a prior says
// where θ is, but evidence needs information from answers.
func (b *Belief) Observed(linear *choice.Linear) Belief {
	d := len(b.Theta)
	observed := Belief{Theta: slices.Clone(b.Theta), Fitted: slices.Clone(b.Fitted), Inverse: slices.Clone(b.Inverse)}
	information := mat.NewSymDense(d, nil)
	linear.Derivatives(b.Fitted, make([]float64, d), information)
	observed.SetInformation(information)
	return observed
}

// SetInformation sets H to h, the information of the answers, plus the prior's. It modifies h.
func (b *Belief) SetInformation(h *mat.SymDense) {
	d := len(b.Theta)
	for k := range d {
		h.SetSym(k, k, h.At(k, k)+PriorPrecision)
	}
	var factor mat.Cholesky
	if !factor.Factorize(h) {
		panic("evidence: the information is not positive definite")
	}
	b.solved = nil
	inverse := mat.NewSymDense(d, nil)
	_ = factor.InverseTo(inverse) // the prior keeps it regular
	for k := range d {
		row := inverse.RawSymmetric().Data[k*d : (k+1)*d]
		for l := k; l < d; l++ {
			b.Inverse[k*d+l], b.Inverse[l*d+k] = row[l], row[l]
		}
	}
}

// Learn moves θ towards a pick, given the predicted probabilities.
func (b *Belief) Learn(arms *choice.Catalogue, shown []int, shares []float64, pick int) {
	d := len(b.Theta)
	gradient := append([]float64(nil), arms.Arm(pick)...)
	for i, arm := range shown {
		floats.AddScaled(gradient, -shares[i], arms.Arm(arm))
	}
	for k := range d {
		b.Theta[k] += floats.Dot(b.Inverse[k*d:(k+1)*d], gradient)
	}
}

// Predict returns the probabilities of picking each arm shown, averaged over θ: over the points u ±
// √K·c of their utilities, where c runs over the columns of a square root of their covariance
// X·H⁻¹·X'. Any probabilities would be valid; these lose less than those at one θ.
func (b *Belief) Predict(arms *choice.Catalogue, shown []int) []float64 {
	k := len(shown)
	utilities := arms.Utilities(nil, shown, b.Theta)
	root := make([]float64, k*k)
	for i, arm := range shown {
		solved := b.solve(arms, arm)
		for j := range i + 1 {
			root[i*k+j] = arms.Utility(shown[j], solved)
		}
	}
	squareRoot(root, k)
	average, shares, moved := make([]float64, k), make([]float64, k), make([]float64, k)
	scale := math.Sqrt(float64(k))
	for column := range k {
		for _, sign := range []float64{scale, -scale} {
			for i := range moved {
				moved[i] = utilities[i] + sign*root[i*k+column]
			}
			floats.AddScaled(average, 1/float64(2*k), choice.Probabilities(shares, moved))
		}
	}
	// No single answer may cost all capital.
	const least = 1e-9
	for i := range average {
		average[i] = (1-least)*average[i] + least/float64(k)
	}
	return average
}

// solve returns H⁻¹x of an arm.
func (b *Belief) solve(arms *choice.Catalogue, arm int) []float64 {
	solved, known := b.solved[solution{arms, arm}]
	if known {
		return solved
	}
	x, d := arms.Arm(arm), len(b.Theta)
	solved = make([]float64, d)
	for l := range d {
		solved[l] = floats.Dot(b.Inverse[l*d:(l+1)*d], x)
	}
	if b.solved == nil {
		b.solved = map[solution][]float64{}
	}
	b.solved[solution{arms, arm}] = solved
	return solved
}

// squareRoot turns the lower triangle of a positive semi-definite matrix into its Cholesky
// factor. Rows that depend on earlier ones get a zero on the diagonal.
func squareRoot(m []float64, n int) {
	for i := range n {
		for j := range i + 1 {
			sum := m[i*n+j]
			for l := range j {
				sum -= m[i*n+l] * m[j*n+l]
			}
			switch {
			case i == j:
				m[i*n+i] = math.Sqrt(max(sum, 0))
			case m[j*n+j] > 1e-12:
				m[i*n+j] = sum / m[j*n+j]
			default:
				m[i*n+j] = 0
			}
		}
		for j := i + 1; j < n; j++ {
			m[i*n+j] = 0
		}
	}
}

// A Prior is what choices recorded elsewhere say about θ: their log-likelihood is Score'θ − ½·θ'·Information·θ, to second order.
// Its size does not depend on the number of choices. A Prior guides a [Belief] and is no evidence.
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
