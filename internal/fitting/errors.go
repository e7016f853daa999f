package fitting

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// Errors names how the covariance of the estimates is estimated.
type Errors string

// The covariances: the inverse information; the sandwich from the scores of single tasks or votes; and the
// sandwich from the scores of respondents.
const (
	Plain     Errors = "plain"
	Robust    Errors = "robust"
	Clustered Errors = "clustered"
)

// Covariances are the covariance matrices of the parameters, in their order. A sandwich is nil if the data
// do not determine it.
type Covariances struct {
	Plain     [][]float64 `json:"plain"`
	Robust    [][]float64 `json:"robust,omitempty"`
	Clustered [][]float64 `json:"clustered,omitempty"`
}

// A Parameter is an estimate with its errors. Z, P and the interval of 95% use the errors of the result. The
// robust error is clustered if these are, or if they are plain and respondents are known. It is nil if the
// data give none: with one respondent, or if all answer alike; Z then uses the plain error.
type Parameter struct {
	Name     string   `json:"name"`
	Estimate float64  `json:"estimate"`
	SE       float64  `json:"se"`
	RobustSE *float64 `json:"robust_se"`
	Z        float64  `json:"z"`
	P        float64  `json:"p"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
}

// quantile is the 97.5% quantile of the standard normal distribution.
const quantile = 1.959963984540054

// setErrors sets the parameters and their covariances in the given order. fitted is the estimate of the
// likelihood.
func (r *Result) setErrors(d *Data, fitted *choice.Estimate, order []int) {
	estimate := r.estimate
	r.covariance = estimate.Covariance
	r.Covariances.Plain = ordered(estimate.Covariance, order)
	robust := d.sandwich(fitted, false)
	r.Covariances.Robust = ordered(robust, order)
	sandwich := robust
	if d.respondents > 0 {
		clustered := d.sandwich(fitted, true)
		r.Covariances.Clustered = ordered(clustered, order)
		if r.Errors != Robust {
			sandwich = clustered
		}
	}
	if r.Errors != Plain && sandwich != nil {
		r.covariance = sandwich
	}
	r.Parameters = r.parameters(sandwich, order)
}

// parameters returns the estimates with their errors. The sandwich may be nil.
func (r *Result) parameters(sandwich *mat.SymDense, order []int) []Parameter {
	const zeroSandwich = 1e-7 // the share of a plain error below which a robust error is a rounding error
	plain, robust := choice.StandardErrors(r.estimate.Covariance), make([]float64, len(order))
	if sandwich != nil {
		robust = choice.StandardErrors(sandwich)
	}
	parameters := make([]Parameter, len(order))
	for i, k := range order {
		p := Parameter{Name: r.estimate.Names[k], Estimate: r.estimate.Theta[k], SE: plain[k]}
		used := p.SE
		if robust[k] > zeroSandwich*p.SE {
			p.RobustSE = &robust[k]
			if r.Errors != Plain {
				used = robust[k]
			}
		}
		p.Z = p.Estimate / used
		p.P = math.Erfc(math.Abs(p.Z) / math.Sqrt2)
		p.Low, p.High = p.Estimate-quantile*used, p.Estimate+quantile*used
		parameters[i] = p
	}
	return parameters
}

// ordered returns a matrix with its rows and columns in the given order, nil for nil.
func ordered(m *mat.SymDense, order []int) [][]float64 {
	if m == nil {
		return nil
	}
	rows := make([][]float64, len(order))
	for i, k := range order {
		for _, l := range order {
			rows[i] = append(rows[i], m.At(k, l))
		}
	}
	return rows
}

// deltaMethod returns the standard error √(g'Σg) of a function of the estimates with the gradient g.
func (r *Result) deltaMethod(gradient []float64) float64 {
	g := mat.NewVecDense(len(gradient), gradient)
	return math.Sqrt(max(0, mat.Inner(g, r.covariance, g)))
}
