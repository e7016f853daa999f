package choice

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Whitening is [Whiten] for very many arms: the coordinates without the arms in them. An
// arm a has the coordinates T'(a − mean), T being d×r.
type Whitening struct {
	catalogue *Catalogue
	mean      []float64
	transform *mat.Dense // T
}

// NewWhitening finds the coordinates from the covariance of the arms. Directions in which the
// arms vary by less than a millionth of their widest, once features are on one scale, are
// taken for the rounding of features to 32 bits and left out.
func NewWhitening(c *Catalogue) (*Whitening, error) {
	const least = 1e-6
	d := c.Dim()
	mean, covariance := c.Covariance()
	scale := make([]float64, d) // units must not pass for rank
	for k := range scale {
		if sd := math.Sqrt(covariance.At(k, k)); sd > 1e-7*math.Abs(mean[k]) {
			scale[k] = 1 / sd
		}
	}
	for k := range d {
		for l := k; l < d; l++ {
			covariance.SetSym(k, l, scale[k]*scale[l]*covariance.At(k, l))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return nil, errors.New("choice: the arms have no principal directions")
	}
	values := eigen.Values(nil) // in increasing order
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	rank := 0
	for rank < d && values[d-1-rank] > least*least*values[d-1] {
		rank++
	}
	if rank == 0 {
		return nil, ErrNoDifference
	}
	t := mat.NewDense(d, rank, nil)
	for k := range d {
		for r := range rank {
			t.Set(k, r, scale[k]*vectors.At(k, d-1-r)/math.Sqrt(values[d-1-r]))
		}
	}
	return &Whitening{c, mean, t}, nil
}

// Dim returns r, the number of coordinates.
func (w *Whitening) Dim() int { return w.transform.RawMatrix().Cols }

// Arm returns the coordinates of an arm.
func (w *Whitening) Arm(arm int) []float64 {
	t := w.transform.RawMatrix()
	row := make([]float64, t.Cols)
	for k, x := range w.catalogue.Arm(arm) {
		addScaled(row, x-w.mean[k], t.Data[k*t.Stride:k*t.Stride+t.Cols])
	}
	return row
}

// Multiply sets dst to x'v of all arms x in these coordinates: one pass over the features.
func (w *Whitening) Multiply(dst, v []float64) {
	back := mat.NewVecDense(len(w.mean), nil)
	back.MulVec(w.transform, mat.NewVecDense(len(v), v))
	w.catalogue.Multiply(dst, back.RawVector().Data)
	constant := dot(w.mean, back.RawVector().Data)
	for i := range dst {
		dst[i] -= constant
	}
}

// Distances sets dst to ‖x − x_centre‖² of all arms in the inverse of what was factorised,
// which is about these coordinates.
func (w *Whitening) Distances(dst []float64, factor *mat.Cholesky, centre int) {
	var upper mat.TriDense
	factor.UTo(&upper) // V = U'U, so V⁻¹ = U⁻¹(U⁻¹)'
	var root mat.TriDense
	_ = root.InverseTri(&upper) // a factor that is nearly singular is inverted as well as can be
	var q mat.Dense
	q.Mul(w.transform, &root)
	w.catalogue.Distances(dst, &q, w.catalogue.Arm(centre))
}

// Catalogue returns the arms in these coordinates, computed when they are asked for.
func (w *Whitening) Catalogue() *Catalogue {
	white := Computed{Len: w.catalogue.Len(), ID: w.catalogue.ID, Index: w.catalogue.Index, Arm: w.Arm}
	for k := range w.Dim() {
		white.Features = append(white.Features, fmt.Sprint("w", k+1))
		white.MeanSquares = append(white.MeanSquares, 1)
	}
	return NewComputed(white)
}
