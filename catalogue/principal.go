package catalogue

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// mostSampled arms are enough to find principal axes: of more, so many are taken, evenly
// spaced.
const mostSampled = 20_000

// A Principal reduces vectors to their leading principal components: with c the mean vector
// and u_k the orthonormal eigenvectors of the vectors' covariance with the largest
// eigenvalues λ_k, the features of a vector x are
//
//	u_k'(x − c)/s,   s² = the mean of the λ_k that are used.
//
// Distances between arms along these axes are kept up to the common factor, and the features
// have mean square one on average, as those of numbers do.
type Principal struct {
	Centre []float64   `json:"centre"`
	Axes   [][]float64 `json:"axes"` // unit vectors, the one with the largest variance first
	Scale  float64     `json:"scale"`
	Kept   float64     `json:"kept"` // share of the variance that the axes have
}

// Width returns the number of numbers in a vector.
func (p *Principal) Width() int { return len(p.Centre) }

// newPrincipal finds the leading axes of an embedding, as many as asked for and no more than
// the vectors' rank; nil where all vectors are equal.
func newPrincipal(column *Column, dimensions int) *Principal {
	// Vectors of 32-bit numbers have no directions of their own below this share of the
	// largest variance, only rounding.
	const noise = 1e-10
	rows := sampled(len(column.Vectors) / column.Width)
	p := &Principal{Centre: make([]float64, column.Width)}
	for _, row := range rows {
		for j, x := range column.vector(row) {
			p.Centre[j] += float64(x) / float64(len(rows))
		}
	}
	covariance := covarianceOf(column, rows, p.Centre)
	total := mat.Trace(covariance)
	size := 0.0
	for _, c := range p.Centre {
		size += c * c
	}
	if !(total > noise*noise*size) {
		return nil
	}
	variances, axes := leadingAxes(covariance, min(dimensions, column.Width, len(rows)-1))
	kept := 0.0
	for k, variance := range variances {
		if variance <= noise*variances[0] {
			break
		}
		kept += variance
		p.Axes = append(p.Axes, axes[k])
	}
	p.Scale = math.Sqrt(kept / float64(len(p.Axes)))
	p.Kept = min(kept/total, 1)
	return p
}

// sampled returns the arms from which axes are found.
func sampled(arms int) []int {
	rows := make([]int, min(arms, mostSampled))
	for i := range rows {
		rows[i] = int(int64(i) * int64(arms) / int64(len(rows)))
	}
	return rows
}

// covarianceOf returns the covariance matrix of some vectors around their mean.
func covarianceOf(column *Column, rows []int, centre []float64) *mat.SymDense {
	covariance := mat.NewSymDense(column.Width, nil)
	for chunk := range slices.Chunk(rows, blockLength) {
		block := mat.NewDense(len(chunk), column.Width, nil)
		for i, row := range chunk {
			centred := block.RawRowView(i)
			for j, x := range column.vector(row) {
				centred[j] = float64(x) - centre[j]
			}
		}
		blas64.Syrk(blas.Trans, 1/float64(len(rows)), block.RawMatrix(), 1, covariance.RawSymmetric())
	}
	return covariance
}

// leadingAxes returns the largest eigenvalues of a covariance and their unit eigenvectors,
// each with its largest component positive. Small matrices are decomposed; of wide ones, for
// which that takes minutes, only the leading part is found, by subspace iteration.
func leadingAxes(covariance *mat.SymDense, count int) (variances []float64, axes [][]float64) {
	const small = 256
	if covariance.SymmetricDim() <= small {
		variances, axes = eigenvectors(covariance)
	} else {
		variances, axes = iterateSubspace(covariance, count)
	}
	for _, axis := range axes[:count] {
		largest := slices.MaxFunc(axis, func(a, b float64) int {
			if math.Abs(a) < math.Abs(b) {
				return -1
			}
			return 1
		})
		if largest < 0 {
			for j := range axis {
				axis[j] = -axis[j]
			}
		}
	}
	return variances[:count], axes[:count]
}

// eigenvectors returns all eigenvalues, the largest first, and their eigenvectors.
func eigenvectors(matrix mat.Symmetric) (values []float64, vectors [][]float64) {
	var eigen mat.EigenSym
	if !eigen.Factorize(matrix, true) {
		panic("catalogue: a covariance matrix has no eigenvalues")
	}
	values = eigen.Values(nil)
	var columns mat.Dense
	eigen.VectorsTo(&columns)
	for k := range values {
		vectors = append(vectors, mat.Col(nil, len(values)-1-k, &columns))
	}
	slices.Reverse(values)
	return values, vectors
}

// iterateSubspace finds the leading eigenvectors of C: an orthonormal Q, of a few rows more
// than are wanted, becomes the eigenvectors of Q C Q' times Q C, made orthonormal again, until
// the eigenvalues wanted no longer change. It starts from the same random Q every time.
func iterateSubspace(covariance *mat.SymDense, count int) (variances []float64, axes [][]float64) {
	const (
		more       = 10
		iterations = 300
		tolerance  = 1e-13
	)
	width := covariance.SymmetricDim()
	full := mat.DenseCopyOf(covariance)
	rng := rand.New(rand.NewPCG(1, 2))
	q := mat.NewDense(min(count+more, width), width, nil)
	for i := range q.RawMatrix().Data {
		q.RawMatrix().Data[i] = rng.NormFloat64()
	}
	orthonormalise(q)
	var product, small, rotated mat.Dense
	before := 0.0
	for range iterations {
		product.Mul(q, full)
		small.Mul(&product, q.T())
		values, vectors := eigenvectors(symmetric(&small))
		rotation := mat.NewDense(len(values), len(values), slices.Concat(vectors...))
		rotated.Mul(rotation, q)
		sum := 0.0
		for _, value := range values[:count] {
			sum += value
		}
		variances, axes = values, nil
		for k := range values {
			axes = append(axes, slices.Clone(rotated.RawRowView(k)))
		}
		if math.Abs(sum-before) <= tolerance*sum {
			break
		}
		before = sum
		q.Mul(rotation, &product)
		orthonormalise(q)
	}
	return variances, axes
}

// symmetric returns the symmetric part of a matrix.
func symmetric(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// orthonormalise makes the rows of q orthonormal, in order, by Gram and Schmidt's method. A
// row that depends on those above becomes zero.
func orthonormalise(q *mat.Dense) {
	const nothing = 1e-12
	rows, width := q.Dims()
	row := func(k int) blas64.Vector { return blas64.Vector{N: width, Inc: 1, Data: q.RawRowView(k)} }
	for k := range rows {
		length := blas64.Nrm2(row(k))
		for above := range k {
			blas64.Axpy(-blas64.Dot(row(above), row(k)), row(above), row(k))
		}
		factor := 0.0
		if rest := blas64.Nrm2(row(k)); rest > nothing*length {
			factor = 1 / rest
		}
		blas64.Scal(factor, row(k))
	}
}

// transposed returns the axes number by number.
func (p *Principal) transposed() []float64 {
	axes := make([]float64, 0, p.Width()*len(p.Axes))
	for j := range p.Centre {
		for _, axis := range p.Axes {
			axes = append(axes, axis[j])
		}
	}
	return axes
}

// project sets scores to the features of a vector. Its sums are in the same order for every
// arm, whatever is encoded with it, and products are rounded before they are added, which
// float64() is for: an arm's features are the same to the bit on every machine.
func (p *Principal) project(scores, transposed []float64, vector []float32) {
	clear(scores)
	for j, x := range vector {
		centred := float64(x) - p.Centre[j]
		for k, u := range transposed[j*len(scores) : (j+1)*len(scores)] {
			scores[k] += float64(centred * u)
		}
	}
	for k := range scores {
		scores[k] /= p.Scale
	}
}
