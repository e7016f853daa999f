package evidence

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// Assumptions are the quantities in the assumptions of Corollary 1, computed for a run at the true θ*.
type Assumptions struct {
	KappaUsed   float64 // κ in the bound
	Kappa       float64 // the largest κ with F ⪰ κV (Assumption 1)
	LambdaTilde float64 // λ̃ (Assumption 2)
	LambdaMin   float64 // λ_min(V)
	Needed      float64 // the least λ_min(V) that the corollary allows, with the true κ
	Longest     float64 // the largest norm of an arm, at most 1 in the theorem
}

// Hold reports whether the arms lie in the unit ball, κ was chosen small enough and V is large
// enough. That is necessary, not sufficient: it checks κ at θ* alone, not in a ball around it.
func (a Assumptions) Hold() bool {
	return a.Longest <= 1+1e-12 && a.KappaUsed <= a.Kappa && a.LambdaMin >= a.Needed
}

// String returns the assumptions in one line.
func (a Assumptions) String() string {
	answer := "no"
	if a.Hold() {
		answer = "yes"
	}
	outside := ""
	if a.Longest > 1+1e-12 {
		outside = fmt.Sprintf("; arms of norm up to %.3g", a.Longest)
	}
	return fmt.Sprintf("assumptions hold: %s (κ used %.2g, actual %.2g; λ_min(V) %.3g, needed %.2g%s)",
		answer, a.KappaUsed, a.Kappa, a.LambdaMin, a.Needed, outside)
}

// CheckAssumptions computes the assumptions for the questions of a tally, with the estimate
// thetaHat from its answers and the true theta.
func CheckAssumptions(bound PaperBound, catalogue *choice.Catalogue, tally *choice.Tally, thetaHat, theta []float64) Assumptions {
	v, f := designMatrix(catalogue, tally), information(catalogue, tally, theta)
	a := Assumptions{
		KappaUsed:   bound.Kappa,
		Kappa:       largestKappa(f, v),
		LambdaTilde: lambdaTilde(catalogue, tally, thetaHat, theta),
		LambdaMin:   smallestEigenvalue(v),
	}
	for i := range catalogue.Len() {
		a.Longest = max(a.Longest, floats.Norm(catalogue.Arm(i), 2))
	}
	t := max(int(tally.Picks()), 1)
	d := float64(bound.Dim)
	a.Needed = 64 * a.LambdaTilde * a.LambdaTilde * d / math.Pow(a.Kappa, 4) * (d + bound.logTerm(t))
	return a
}

// KappaAt returns the largest κ with F ⪰ κV for the questions of a tally, at theta.
func KappaAt(catalogue *choice.Catalogue, tally *choice.Tally, theta []float64) float64 {
	return largestKappa(information(catalogue, tally, theta), designMatrix(catalogue, tally))
}

// designMatrix returns V = Σ_s X_s X_s' of the questions of a tally.
func designMatrix(catalogue *choice.Catalogue, tally *choice.Tally) *mat.SymDense {
	v := mat.NewSymDense(catalogue.Dim(), nil)
	for q, wins := range tally.Questions() {
		asked := 0.0
		for _, w := range wins {
			asked += w
		}
		for _, arm := range q {
			v.SymRankOne(v, asked, mat.NewVecDense(catalogue.Dim(), catalogue.Arm(arm)))
		}
	}
	return v
}

// information returns F(θ*, θ*), the information of the questions at θ*.
func information(catalogue *choice.Catalogue, tally *choice.Tally, theta []float64) *mat.SymDense {
	f := mat.NewSymDense(len(theta), nil)
	choice.NewLinear(catalogue, tally).Derivatives(theta, make([]float64, len(theta)), f)
	return f
}

// largestKappa returns the largest κ with F ⪰ κV, at θ = θ*: the smallest generalised eigenvalue of F and V, over the range of V.
// Over a ball around θ* the paper's κ_α can only be smaller.
func largestKappa(f, v *mat.SymDense) float64 {
	d := v.SymmetricDim()
	var eigen mat.EigenSym
	if !eigen.Factorize(v, true) {
		return math.NaN()
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	// W spans the range of V, scaled so that W'VW = I; then F ⪰ κV there means W'FW ⪰ κI.
	floor := 1e-12 * values[d-1]
	w := mat.NewDense(d, d, nil)
	rank := 0
	for k, value := range values {
		if value > floor {
			for i := range d {
				w.Set(i, rank, vectors.At(i, k)/math.Sqrt(value))
			}
			rank++
		}
	}
	if rank == 0 {
		return 0
	}
	basis := w.Slice(0, d, 0, rank)
	var half, whole mat.Dense
	half.Mul(basis.T(), f)
	whole.Mul(&half, basis)
	reduced := mat.NewSymDense(rank, nil)
	for i := range rank {
		for j := i; j < rank; j++ {
			reduced.SetSym(i, j, (whole.At(i, j)+whole.At(j, i))/2)
		}
	}
	return max(0, smallestEigenvalue(reduced))
}

func smallestEigenvalue(a *mat.SymDense) float64 {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) {
		return math.NaN()
	}
	return eigen.Values(nil)[0]
}

// quadrature is the number of points for the integrals of Assumption 2, whose integrands are smooth.
const quadrature = 8

// lambdaTilde returns λ̃ = max_{s,i} λ_max(S_s(i)) of Assumption 2, where S_s(i) is the K×K matrix
//
//	∫₀¹ ∂_{θ_i} M_s(θ, θ*) dq  at θ = qθ̂ + (1−q)θ*,
//	M_s(θ, θ*) = ∫₀¹ [diag(μ) − μμ'] at pθ + (1−p)θ* dp,
//
// so that ∂_{θ_i} M_s = ∫₀¹ p·∂_i[diag(μ) − μμ'] dp.
func lambdaTilde(catalogue *choice.Catalogue, tally *choice.Tally, thetaHat, theta []float64) float64 {
	points, weights := make([]float64, quadrature), make([]float64, quadrature)
	quad.Legendre{}.FixedLocations(points, weights, 0, 1)
	most := 0.0
	at := make([]float64, len(theta))
	var utilities []float64
	for q := range tally.Questions() {
		slices := make([]*mat.SymDense, len(theta))
		for i := range slices {
			slices[i] = mat.NewSymDense(len(q), nil)
		}
		for a, outer := range points {
			for b, inner := range points {
				for k := range at {
					at[k] = theta[k] + inner*outer*(thetaHat[k]-theta[k])
				}
				utilities = catalogue.Utilities(utilities, q, at)
				mu := choice.Probabilities(nil, utilities)
				addSlices(slices, weights[a]*weights[b]*inner, catalogue, q, mu)
			}
		}
		for _, s := range slices {
			most = max(most, largestEigenvalue(s))
		}
	}
	return most
}

// addSlices adds w·∂_i[diag(μ) − μμ'] to every slice i. With x̄ = Σ_j μ_j x_j, ∂_i μ_j = μ_j·(x_j − x̄)_i.
func addSlices(slices []*mat.SymDense, w float64, catalogue *choice.Catalogue, q choice.Question, mu []float64) {
	for i, s := range slices {
		mean := 0.0
		for j, arm := range q {
			mean += mu[j] * catalogue.Arm(arm)[i]
		}
		for j, left := range q {
			dj := mu[j] * (catalogue.Arm(left)[i] - mean)
			s.SetSym(j, j, s.At(j, j)+w*dj)
			for l := j; l < len(q); l++ {
				dl := mu[l] * (catalogue.Arm(q[l])[i] - mean)
				s.SetSym(j, l, s.At(j, l)-w*(dj*mu[l]+mu[j]*dl))
			}
		}
	}
}

func largestEigenvalue(a *mat.SymDense) float64 {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) {
		return math.NaN()
	}
	return eigen.Values(nil)[a.SymmetricDim()-1]
}

// A PaperBound is the confidence bound of the paper (Theorem 1, Corollary 1): with probability at
// least 1 − δ, for all t ≥ t' and all differences g of two arms,
//
//	|g'(θ̂ − θ*)| ≤ Width(t)·‖g‖_{V⁻¹},   Width(t) = (8/κ)·√(d + log(3N²t²/δ)),
//
// if the questions do not depend on the answers, the arms lie in the unit ball, κ is as small as Assumption 1 requires, and
// λ_min(V) is as large as the corollary requires. [CheckAssumptions] reports whether these hold. At the settings of the paper's
// experiments they do not, so a strategy that stops by this bound is not certified.
type PaperBound struct {
	Dim   int     // d
	Arms  int     // N
	Delta float64 // δ
	Kappa float64 // κ
}

// Width returns the factor of ‖g‖_{V⁻¹} after t questions.
func (b PaperBound) Width(t int) float64 {
	return 8 / b.Kappa * math.Sqrt(float64(b.Dim)+b.logTerm(t))
}

// logTerm returns log(3N²t²/δ).
func (b PaperBound) logTerm(t int) float64 {
	n := float64(b.Arms) * float64(t)
	return math.Log(3 * n * n / b.Delta)
}

// Decides reports whether an estimated lead of one arm over another, with squared norm ‖a_i −
// a_j‖²_{V⁻¹}, is significant at the given Width: the stopping condition (equation 5)
//
//	Width(t)·‖a_i − a_j‖_{V⁻¹} ≤ (a_i − a_j)'θ̂.
func (b PaperBound) Decides(lead, squaredNorm, width float64) bool {
	return lead >= 0 && width*width*squaredNorm <= lead*lead
}

// A KazerouniWeinBound is the confidence bound of Kazerouni and Wein, "Best Arm Identification in Generalized Linear Bandits"
// (2019), for answers that are 0 or 1. It is the ellipsoid of Filippi et al. (2010) at all times at once: with probability at
// least 1 − δ, for all arms x and t after the initial questions,
//
//	|x'(θ̂ − θ*)| ≤ Width(t)·‖x‖_{V⁻¹},
//	Width(t) = (2/c_μ)·√(3 + 2·log(1 + 2L²/λ₀))·√(2d·log t·log(π²dt²/(6δ))).
//
// It permits questions that depend on the answers, but needs a c_μ no larger than the least slope of the link function, and 1/4
// is the largest slope of the logistic one. A strategy that stops by this bound with a larger c_μ is not certified.
type KazerouniWeinBound struct {
	Dim   int     // d
	Delta float64 // δ
	Slope float64 // c_μ
	Ratio float64 // L²/λ₀: the largest squared norm of an arm over the least eigenvalue of V at the start
}

// Width returns the factor of ‖x‖_{V⁻¹} after t questions. For t = 1, where the formula has none, it is the width at t = 2.
func (b KazerouniWeinBound) Width(t int) float64 {
	d, at := float64(b.Dim), float64(max(t, 2))
	start := math.Sqrt(3 + 2*math.Log1p(2*b.Ratio))
	return 2 / b.Slope * start * math.Sqrt(2*d*math.Log(at)*math.Log(math.Pi*math.Pi*d*at*at/(6*b.Delta)))
}
