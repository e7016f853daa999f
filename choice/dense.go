package choice

import (
	"fmt"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// NewDense makes a catalogue of very many arms with 32-bit features in row-major order. It keeps
// ids and cells, which the caller must not change afterwards. All computations use 64 bits. It
// returns an error in the same cases as [NewCatalogue].
func NewDense(ids, features []string, cells []float32) (*Catalogue, error) {
	if err := checkFeatureNames(features); err != nil {
		return nil, err
	}
	d := len(features)
	switch {
	case len(cells) != len(ids)*d:
		return nil, &CatalogueError{-1, -1, fmt.Sprintf("%d values for %d arms with %d features", len(cells), len(ids), d)}
	case len(ids) < 2:
		return nil, &CatalogueError{-1, -1, fmt.Sprintf("there must be at least two arms, got %d", len(ids))}
	}
	c := &Catalogue{features: features, narrow: cells}
	if err := c.name(ids); err != nil {
		return nil, err
	}
	for at, x := range cells {
		if x-x != 0 {
			return nil, &CatalogueError{
				at / d, at % d,
				fmt.Sprintf("arm %d (%q), feature %q: %v is not a finite number", at/d+1, ids[at/d], features[at%d], x),
			}
		}
	}
	return c, nil
}

// Multiply sets dst to a_i'x for all arms, in one pass over the features on all cores.
func (c *Catalogue) Multiply(dst, x []float64) {
	inParts(c.Len(), c.Dim(), func(from, to int) {
		for i := from; i < to; i++ {
			dst[i] = c.Utility(i, x)
		}
	})
}

// Distances sets dst to ‖Q'(a_i − centre)‖² for all arms, on all cores, where Q has d rows: with
// QQ' = V⁻¹ that is ‖a_i − centre‖²_{V⁻¹}. It takes less time than one pass for each column of Q.
func (c *Catalogue) Distances(dst []float64, q *mat.Dense, centre []float64) {
	d := c.Dim()
	rows, width := q.Dims()
	if rows != d || len(centre) != d {
		panic("choice: Q and the centre must have one row for each feature")
	}
	inParts(c.Len(), d*width, func(from, to int) {
		block := newBlock(d)
		product := make([]float64, width*blockSize)
		for ; from < to; from += blockSize {
			count := min(blockSize, to-from)
			block.load(c, from, count, centre)
			out := blas64.General{Rows: width, Cols: count, Stride: blockSize, Data: product}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, q.RawMatrix(), block.matrix(count), 0, out)
			sums := dst[from : from+count]
			clear(sums)
			for k := range width {
				for i, x := range product[k*blockSize : k*blockSize+count] {
					sums[i] += x * x
				}
			}
		}
	})
}

// partSize is the number of arms in a partial sum. It is fixed so that sums do not depend on the
// number of cores.
const partSize = 64 * blockSize

// means returns the means of the features.
func (c *Catalogue) means() []float64 {
	d, n := c.Dim(), c.Len()
	sums := make([][]float64, (n+partSize-1)/partSize)
	inParts(len(sums), partSize*d, func(from, to int) {
		for part := from; part < to; part++ {
			sums[part] = make([]float64, d)
			for i := part * partSize; i < min(n, (part+1)*partSize); i++ {
				c.addTo(sums[part], i)
			}
		}
	})
	mean := make([]float64, d)
	for _, sum := range sums {
		addScaled(mean, 1/float64(n), sum)
	}
	return mean
}

// covariance returns Σ xx'/N over all arms, with x = basis'(a − mean), or a − mean if the basis is
// nil.
func (c *Catalogue) covariance(mean []float64, basis *mat.Dense) *mat.SymDense {
	d, n := c.Dim(), c.Len()
	width := d
	if basis != nil {
		_, width = basis.Dims()
	}
	squares := make([]*mat.SymDense, (n+partSize-1)/partSize)
	inParts(len(squares), partSize*d*width, func(from, to int) {
		block, product := newBlock(d), newBlock(width)
		for part := from; part < to; part++ {
			squares[part] = mat.NewSymDense(width, nil)
			end := min(n, (part+1)*partSize)
			for i := part * partSize; i < end; i += blockSize {
				count := min(blockSize, end-i)
				block.load(c, i, count, mean)
				x := block.matrix(count)
				if basis != nil {
					x = product.matrix(count)
					blas64.Gemm(blas.Trans, blas.NoTrans, 1, basis.RawMatrix(), block.matrix(count), 0, x)
				}
				blas64.Syrk(blas.NoTrans, 1, x, 1, squares[part].RawSymmetric())
			}
		}
	})
	sum := mat.NewSymDense(width, nil)
	for _, square := range squares {
		sum.AddSym(sum, square)
	}
	sum.ScaleSym(1/float64(n), sum)
	return sum
}

// addTo adds the features of an arm to sum.
func (c *Catalogue) addTo(sum []float64, i int) {
	if c.narrow == nil {
		addScaled(sum, 1, c.Arm(i))
		return
	}
	for k, x := range c.narrow[i*len(sum) : (i+1)*len(sum)] {
		sum[k] += float64(x)
	}
}

// A block holds some arms side by side, with a row for each feature, as input to matrix products.
type block struct {
	d     int
	cells []float64
}

const blockSize = 256

func newBlock(d int) block { return block{d, make([]float64, d*blockSize)} }

// load sets the block to count arms from first on, minus centre.
func (b block) load(c *Catalogue, first, count int, centre []float64) {
	for at := range count {
		if c.narrow == nil {
			for k, x := range c.Arm(first + at) {
				b.cells[k*blockSize+at] = x - centre[k]
			}
			continue
		}
		for k, x := range c.narrow[(first+at)*b.d : (first+at+1)*b.d] {
			b.cells[k*blockSize+at] = float64(x) - centre[k]
		}
	}
}

func (b block) matrix(count int) blas64.General {
	return blas64.General{Rows: b.d, Cols: count, Stride: blockSize, Data: b.cells}
}

// enoughWork is the number of multiplications that justifies another core.
const enoughWork = 1 << 17

// inParts calls work for parts of 0 … n−1 and returns when all are done. Each item takes the given
// number of multiplications, which decides how many cores it uses.
func inParts(n, each int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n, 1+n*each/enoughWork)
	if workers <= 1 {
		work(0, n)
		return
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { work(w*n/workers, (w+1)*n/workers) })
	}
	all.Wait()
}

// dotNarrow is dot for features of 32 bits.
func dotNarrow(a []float32, x []float64) float64 {
	x = x[:len(a)]
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(x) >= 4 {
		s0 += float64(a[0]) * x[0]
		s1 += float64(a[1]) * x[1]
		s2 += float64(a[2]) * x[2]
		s3 += float64(a[3]) * x[3]
		a, x = a[4:], x[4:]
	}
	for k, v := range a {
		s0 += float64(v) * x[k]
	}
	return (s0 + s1) + (s2 + s3)
}
