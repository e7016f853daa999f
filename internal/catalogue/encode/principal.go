package encode

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/internal/catalogue"
)

// maxSampled is how many arms the principal axes are found from. Of more arms, a sample is evenly
// spaced.
const maxSampled = 10_000

// maxNumbers is the maximum length of the vectors of an embedding.
const maxNumbers = 16_384

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

	// Needed are how many axes would have 90%, 95% and 99% of the variance. Nil if that is not known:
	// for vectors of more than 1,024 numbers, and in encodings that were saved before it was stored.
	Needed []int `json:"needed,omitempty"`
}

// Shares returns the shares of the variance that Needed is about.
func Shares() []float64 { return []float64{0.9, 0.95, 0.99} }

// Width returns the number of numbers in a vector.
func (p *Principal) Width() int { return len(p.Centre) }

// newPrincipal finds the leading axes of an embedding, as many as asked for and no more than
// the vectors' rank; nil where all vectors are equal.
func newPrincipal(column *catalogue.Column, dimensions int) *Principal {
	// Vectors of 32-bit numbers have no directions of their own below this share of the
	// largest variance, only rounding.
	const noise = 1e-10
	rows := sampled(len(column.Vectors) / column.Width)
	p := &Principal{Centre: make([]float64, column.Width)}
	for _, row := range rows {
		for j, x := range column.Vector(row) {
			p.Centre[j] += float64(x) / float64(len(rows))
		}
	}
	variances, axes, total, needed := leadingAxes(column, rows, p.Centre, dimensions)
	size := 0.0
	for _, c := range p.Centre {
		size += c * c
	}
	if !(total > noise*noise*size) {
		return nil
	}
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
	p.Needed = needed
	return p
}

// sampled returns the arms from which axes are found.
func sampled(arms int) []int {
	rows := make([]int, min(arms, maxSampled))
	for i := range rows {
		rows[i] = int(int64(i) * int64(arms) / int64(len(rows)))
	}
	return rows
}

// leadingAxes returns the largest eigenvalues of the covariance of some vectors around their
// mean, at most as many as asked for, with their unit eigenvectors, each with its largest
// component positive, the sum of all eigenvalues, and how many of them are needed for most of it. Of few
// long vectors, the rows of X, it decomposes
//
//	X X'/n   instead of   X'X/n:
//
// the eigenvalues are the same, and to an eigenvector v of the one belongs X'v of the other.
func leadingAxes(column *catalogue.Column, rows []int, centre []float64, count int) (variances []float64, axes [][]float64,
	total float64, needed []int,
) {
	const narrow = 256
	var matrix *mat.SymDense
	few := column.Width > narrow && len(rows) < column.Width
	if few {
		matrix = productsOf(column, rows, centre)
	} else {
		matrix = covarianceOf(column, rows, centre)
	}
	total = mat.Trace(matrix)
	needed = neededFor(matrix, total)
	variances, axes = leadingEigenvectors(matrix, min(count, matrix.SymmetricDim()))
	if few {
		axes = combined(column, rows, centre, axes)
	}
	for _, axis := range axes {
		largest := slices.MaxFunc(axis, func(a, b float64) int {
			if math.Abs(a) < math.Abs(b) {
				return -1
			}
			return 1
		})
		if largest < 0 {
			floats.Scale(-1, axis)
		}
	}
	return variances, axes, total, needed
}

// neededFor returns how many of the largest eigenvalues make up each of [Shares] of the sum of all; nil for
// large matrices, whose eigenvalues would take long to find.
func neededFor(matrix *mat.SymDense, total float64) (needed []int) {
	const large = 1024
	var eigen mat.EigenSym
	if matrix.SymmetricDim() > large || !eigen.Factorize(matrix, false) {
		return nil
	}
	values := eigen.Values(nil)
	slices.Reverse(values)
	sum, count := 0.0, 0
	for _, share := range Shares() {
		for count < len(values) && sum < share*total {
			sum += values[count]
			count++
		}
		needed = append(needed, count)
	}
	return needed
}

// centred returns some vectors less their mean, a row each.
func centred(column *catalogue.Column, rows []int, centre []float64) *mat.Dense {
	block := mat.NewDense(len(rows), column.Width, nil)
	for i, row := range rows {
		out := block.RawRowView(i)
		for j, x := range column.Vector(row) {
			out[j] = float64(x) - centre[j]
		}
	}
	return block
}

// covarianceOf returns the covariance matrix of some vectors around their mean.
func covarianceOf(column *catalogue.Column, rows []int, centre []float64) *mat.SymDense {
	const chunkLength = 512
	covariance := mat.NewSymDense(column.Width, nil)
	for chunk := range slices.Chunk(rows, chunkLength) {
		blas64.Syrk(blas.Trans, 1/float64(len(rows)), centred(column, chunk, centre).RawMatrix(), 1, covariance.RawSymmetric())
	}
	return covariance
}

// productsOf returns the inner products of some vectors around their mean, divided by their
// number.
func productsOf(column *catalogue.Column, rows []int, centre []float64) *mat.SymDense {
	products := mat.NewSymDense(len(rows), nil)
	blas64.Syrk(blas.NoTrans, 1/float64(len(rows)), centred(column, rows, centre).RawMatrix(), 0, products.RawSymmetric())
	return products
}

// combined returns the unit vectors in the directions of weighted sums of some vectors around
// their mean, orthogonal to those before.
func combined(column *catalogue.Column, rows []int, centre []float64, weights [][]float64) [][]float64 {
	var sums mat.Dense
	sums.Mul(mat.NewDense(len(weights), len(rows), slices.Concat(weights...)), centred(column, rows, centre))
	orthonormalise(&sums)
	vectors := make([][]float64, len(weights))
	for k := range vectors {
		vectors[k] = sums.RawRowView(k)
	}
	return vectors
}

// leadingEigenvectors returns the largest eigenvalues of a matrix and their unit eigenvectors.
// The matrix is decomposed, or where it is large and few are wanted, only the
// leading part is found, by subspace iteration.
func leadingEigenvectors(matrix *mat.SymDense, count int) (values []float64, vectors [][]float64) {
	const small, many = 256, 20
	if n := matrix.SymmetricDim(); n <= small || count > n/many {
		values, vectors = eigenvectors(matrix)
	} else {
		values, vectors = iterateSubspace(matrix, count)
	}
	return values[:count], vectors[:count]
}

// eigenvectors returns all eigenvalues, the largest first, and their eigenvectors.
func eigenvectors(matrix mat.Symmetric) (values []float64, vectors [][]float64) {
	var eigen mat.EigenSym
	if !eigen.Factorize(matrix, true) {
		panic("encode: a covariance matrix has no eigenvalues")
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
	full := filled(covariance)
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

// filled returns a symmetric matrix as one that has all its numbers, in the same room.
func filled(matrix *mat.SymDense) *mat.Dense {
	raw := matrix.RawSymmetric()
	full := mat.NewDense(raw.N, raw.N, raw.Data)
	for i := range raw.N {
		for j := range i {
			full.Set(i, j, full.At(j, i))
		}
	}
	return full
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

// NeededText says how many dimensions keep most of the variance, after a separator; "" if that is not known.
func (p *Principal) NeededText(separator string) string {
	if len(p.Needed) != len(Shares()) {
		return ""
	}
	return fmt.Sprintf("%s%d keep 90%%, %d 95%% and %d 99%%", separator, p.Needed[0], p.Needed[1], p.Needed[2])
}
