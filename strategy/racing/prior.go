package racing

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
)

// A Prior summarises choices recorded elsewhere, which guide a race without counting in it: they
// inform its questions and its predictions, and no capital depends on whether they are right. So a
// certificate holds whatever they are, and choices of other people cost at most some answers.
//
// Near its maximum the log-likelihood of the choices is about Score'θ − ½·θ'·Information·θ, where θ refers to the features of the
// catalogue. The summary is as large as the features are many, whatever the number of choices.
type Prior struct {
	Score       []float64 `json:"score"`       // by feature
	Information []float64 `json:"information"` // by pairs of features: the upper triangle, row by row
	Picks       float64   `json:"picks"`       // choices summarised
}

// maxPriorFeatures bounds the size of a prior.
const maxPriorFeatures = 256

// NewPrior summarises the choices of a tally about arms of a catalogue.
func NewPrior(c *choice.Catalogue, tally *choice.Tally) (*Prior, error) {
	if tally.Picks() == 0 {
		return nil, errors.New("a prior needs at least one choice")
	}
	d := c.Dim()
	if d > maxPriorFeatures {
		return nil, fmt.Errorf("a prior has at most %d features, got %d", maxPriorFeatures, d)
	}
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	b := evidence.NewBelief(white.Dim())
	b.Fit(choice.NewLinear(white, tally))
	theta := make([]float64, d)
	mat.NewVecDense(d, theta).MulVec(transform(c, white), mat.NewVecDense(white.Dim(), b.Fitted))
	gradient, information := make([]float64, d), mat.NewSymDense(d, nil)
	choice.NewLinear(c, tally).Derivatives(theta, gradient, information)
	var slope mat.VecDense
	slope.MulVec(information, mat.NewVecDense(d, theta))
	p := &Prior{Picks: tally.Picks()}
	for k := range d {
		p.Score = append(p.Score, gradient[k]+slope.AtVec(k))
		for l := k; l < d; l++ {
			p.Information = append(p.Information, information.At(k, l))
		}
	}
	return p, nil
}

// transform returns T with θ = T·θ_w: arms have the same utilities with θ as with θ_w in whitened coordinates, up to a constant.
// With W for the n×r whitened coordinates, W'W = n·I, and X for the features minus their means, X = W·B with B = W'X/n, and T is
// the pseudo-inverse of B. Features are scaled first, so that their units do not matter.
func transform(c, white *choice.Catalogue) *mat.Dense {
	n, d, r := c.Len(), c.Dim(), white.Dim()
	b, scale := mat.NewDense(r, d, nil), make([]float64, d)
	for arm := range n {
		for l, w := range white.Arm(arm) {
			floats.AddScaled(b.RawRowView(l), w/float64(n), c.Arm(arm)) // W is centred, so X need not be
		}
	}
	for k := range d {
		if norm := mat.Norm(b.ColView(k), 2); norm > 0 {
			scale[k] = 1 / norm
		}
	}
	var scaled, inverse mat.Dense
	scaled.Apply(func(_, k int, x float64) float64 { return scale[k] * x }, b)
	var svd mat.SVD
	svd.Factorize(&scaled, mat.SVDThin)
	identity := mat.NewDiagDense(r, nil)
	for l := range r {
		identity.SetDiag(l, 1)
	}
	svd.SolveTo(&inverse, identity, r)
	inverse.Apply(func(k, _ int, x float64) float64 { return scale[k] * x }, &inverse)
	return &inverse
}

// check returns an error if a prior does not suit a number of features.
func (p *Prior) check(d int) error {
	switch {
	case len(p.Score) != d || len(p.Information) != d*(d+1)/2:
		return fmt.Errorf("the prior must be about %d features, got %d scores and %d numbers of information",
			d, len(p.Score), len(p.Information))
	case d > maxPriorFeatures:
		return fmt.Errorf("a prior has at most %d features, got %d", maxPriorFeatures, d)
	case !(p.Picks > 0 && p.Picks <= math.MaxFloat64):
		return fmt.Errorf("the prior must have a positive number of picks, got %v", p.Picks)
	}
	for _, x := range slices.Concat(p.Score, p.Information) {
		if x-x != 0 {
			return fmt.Errorf("the prior must be finite, got %v", x)
		}
	}
	var eigen mat.EigenSym
	if h := p.information(); !eigen.Factorize(h, false) || eigen.Values(nil)[0] < -1e-9*max(mat.Trace(h), 1e-300) {
		return errors.New("the information of the prior must be positive semi-definite")
	}
	return nil
}

func (p *Prior) information() *mat.SymDense {
	d := len(p.Score)
	h, at := mat.NewSymDense(d, nil), 0
	for k := range d {
		for l := k; l < d; l++ {
			h.SetSym(k, l, p.Information[at])
			at++
		}
	}
	return h
}

// in returns the prior in the coordinates in which a problem shows arms: the whitened ones, and
// others about which it says nothing.
func (p *Prior) in(c, shown *choice.Catalogue) (*evidence.Prior, error) {
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	t := transform(c, white)
	var score mat.VecDense
	score.MulVec(t.T(), mat.NewVecDense(len(p.Score), p.Score))
	var half, whole mat.Dense
	half.Mul(p.information(), t)
	whole.Mul(t.T(), &half)
	in := &evidence.Prior{Score: make([]float64, shown.Dim()), Information: mat.NewSymDense(shown.Dim(), nil)}
	for k := range white.Dim() {
		in.Score[k] = score.AtVec(k)
		in.Information.SetSym(k, k, max(whole.At(k, k), 0))
		for l := range k {
			in.Information.SetSym(k, l, (whole.At(k, l)+whole.At(l, k))/2)
		}
	}
	return in, nil
}
