package choice

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrNoDifference reports that all arms have the same features.
var ErrNoDifference = errors.New("choice: the arms do not differ")

// Whiten returns the arms in coordinates in which they are centred and uncorrelated with mean
// square one. With θ in these coordinates, ‖θ‖² is the variance of the utilities over the arms.
// Utilities change by a constant, so the best arm and every likelihood stay the same. The number of
// coordinates is the rank of the arms' differences. For very many arms use [NewWhitening].
func Whiten(c *Catalogue) (*Catalogue, error) {
	if c.product != nil {
		return c.product.whiten()
	}
	n, d := c.Len(), c.Dim()
	centred := mat.NewDense(n, d, nil)
	for k := range d {
		mean, square, largest := 0.0, 0.0, 0.0
		for i := range n {
			mean += c.Arm(i)[k] / float64(n)
			largest = max(largest, math.Abs(c.Arm(i)[k]))
		}
		for i := range n {
			x := c.Arm(i)[k] - mean
			if math.Abs(x) <= 1e-13*largest {
				x = 0 // the mean is rounded
			}
			centred.Set(i, k, x)
			square += x * x
		}
		// Scale the features so that their units do not affect the rank.
		for i := range n {
			if square > 0 {
				centred.Set(i, k, centred.At(i, k)/math.Sqrt(square))
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return nil, errors.New("choice: the arms have no singular values")
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > 1e-10*values[0] {
		rank++
	}
	if rank == 0 || values[0] == 0 {
		return nil, ErrNoDifference
	}
	// Compute rows from the right factor, so that copies of an arm stay copies.
	var right, rows mat.Dense
	svd.VTo(&right)
	rows.Mul(centred, right.Slice(0, d, 0, rank))
	w := &Catalogue{cells: make([]float64, 0, n*rank)}
	if err := w.nameLike(c); err != nil {
		return nil, err
	}
	for k := range rank {
		w.features = append(w.features, fmt.Sprint("w", k+1))
	}
	scale := math.Sqrt(float64(n))
	for i := range n {
		for k := range rank {
			w.cells = append(w.cells, scale/values[k]*rows.At(i, k))
		}
	}
	return w, nil
}
