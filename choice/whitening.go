package choice

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Whitening is [Whiten] for very many arms: it holds the transformation but not the transformed
// arms. Arm a has the coordinates T'(a − mean), where T is d×r.
type Whitening struct {
	catalogue *Catalogue
	mean      []float64
	transform *mat.Dense // T
}

// NewWhitening computes the coordinates from the covariance of the arms, after scaling the
// features. Squares lose half of the digits, so it examines directions of small variance a second
// time, separately. It drops rounding errors: features that vary by less than 1e-12 of their size,
// and directions that vary by less than 1e-10 of the widest or by less than the precision of
// features of that size.
func NewWhitening(c *Catalogue) (*Whitening, error) {
	const coarse, fine, known, same = 1e-6, 1e-10, 1e-14, 1e-12
	d := c.Dim()
	mean := c.means()
	covariance := c.covariance(mean, nil)
	scale := mat.NewDense(d, d, nil) // so that units do not affect the rank
	worst := 0.0
	for k := range d {
		if sd, size := math.Sqrt(covariance.At(k, k)), math.Abs(mean[k]); sd > same*size {
			scale.Set(k, k, 1/sd)
			worst = max(worst, size/sd)
		}
	}
	scaled := mat.NewSymDense(d, nil)
	for k := range d {
		for l := k; l < d; l++ {
			scaled.SetSym(k, l, scale.At(k, k)*scale.At(l, l)*covariance.At(k, l))
		}
	}
	transform, rest, widest, err := leading(scale, scaled, func(widest float64) float64 { return coarse * widest })
	if err != nil || transform == nil {
		return nil, cmp.Or(err, ErrNoDifference)
	}
	if rest != nil {
		least := max(fine, known*worst) * widest
		more, _, _, err := leading(rest, c.covariance(mean, rest), func(float64) float64 { return least })
		if err != nil {
			return nil, err
		}
		if more != nil {
			both := mat.NewDense(d, transform.RawMatrix().Cols+more.RawMatrix().Cols, nil)
			both.Augment(transform, more)
			transform = both
		}
	}
	return &Whitening{c, mean, transform}, nil
}

// leading splits the coordinates basis'(a − mean), which have the given covariance. It returns the
// uncorrelated coordinates that vary by more than least, scaled to variance one, and a basis of the
// rest; nil if there are none. widest is the standard deviation of the first.
func leading(basis *mat.Dense, covariance *mat.SymDense, least func(widest float64) float64) (kept, rest *mat.Dense,
	widest float64, err error,
) {
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return nil, nil, 0, errors.New("choice: the eigenvalues of the arms' covariance did not converge")
	}
	values := eigen.Values(nil) // in increasing order
	var vectors, turned mat.Dense
	eigen.VectorsTo(&vectors)
	turned.Mul(basis, &vectors)
	m, d := len(values), basis.RawMatrix().Rows
	widest = math.Sqrt(max(values[m-1], 0))
	rank := 0
	for rank < m && values[m-1-rank] > 0 && math.Sqrt(values[m-1-rank]) > least(widest) {
		rank++
	}
	if rank > 0 {
		kept = mat.NewDense(d, rank, nil)
	}
	if rank < m {
		rest = mat.NewDense(d, m-rank, nil)
		rest.Copy(turned.Slice(0, d, 0, m-rank))
	}
	for r := range rank {
		for k := range d {
			kept.Set(k, r, turned.At(k, m-1-r)/math.Sqrt(values[m-1-r]))
		}
	}
	return kept, rest, widest, nil
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

// Multiply sets dst to x'v for all arms x in these coordinates, in one pass over the features.
func (w *Whitening) Multiply(dst, v []float64) {
	back := mat.NewVecDense(len(w.mean), nil)
	back.MulVec(w.transform, mat.NewVecDense(len(v), v))
	w.catalogue.Multiply(dst, back.RawVector().Data)
	constant := dot(w.mean, back.RawVector().Data)
	for i := range dst {
		dst[i] -= constant
	}
}

// Distances sets dst to ‖x − x_centre‖² for all arms in the inverse of the factorised matrix, which
// refers to these coordinates.
func (w *Whitening) Distances(dst []float64, factor *mat.Cholesky, centre int) {
	var upper mat.TriDense
	factor.UTo(&upper) // V = U'U, so V⁻¹ = U⁻¹(U⁻¹)'
	var root mat.TriDense
	_ = root.InverseTri(&upper) // an ill-conditioned factor is inverted as well as possible
	var q mat.Dense
	q.Mul(w.transform, &root)
	w.catalogue.Distances(dst, &q, w.catalogue.Arm(centre))
}

// Catalogue returns the arms in these coordinates, computed on demand.
func (w *Whitening) Catalogue() *Catalogue {
	white := computedArms{Len: w.catalogue.Len(), ID: w.catalogue.ID, Index: w.catalogue.Index, Arm: w.Arm}
	for k := range w.Dim() {
		white.Features = append(white.Features, fmt.Sprint("w", k+1))
		white.MeanSquares = append(white.MeanSquares, 1)
	}
	return newComputed(white)
}

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
