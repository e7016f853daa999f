package encode

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/internal/catalogue"
)

const (
	// A feature is determined by others if all but this share of its standard deviation is,
	determined = 1e-6

	// nearly determined if all but this is, so that 99% of its variance is shared,
	nearly = 0.1

	// and correlations are known up to this.
	rounding = 1e-14
)

// A candidate is a feature that may be left out.
type candidate struct {
	coding  *Coding
	feature *Feature
	spread  float64 // standard deviation
	place   int     // in the covariance
}

// leaveOut finds the features that are linear combinations of earlier ones, and says by which.
// Embeddings come last whatever their place: what has a name stays. Each feature z_j, centred
// and scaled, is regressed on those kept so far through its row of the Cholesky factor of
// their correlations C,
//
//	L l = C_j,   residual² = 1 − l'l,   z_j ≈ Σ b_k z_k with L'b = l,
//
// and is left out if its residual is nothing but rounding: that of the feature itself, or that
// of the correlations, which the residual has in it (1 + b'b) times.
func (e *Encoding) leaveOut(t *catalogue.Table) {
	mean, covariance := e.moments(t)
	var kept []candidate
	var factor [][]float64
	for _, c := range e.candidates(covariance) {
		row := make([]float64, len(kept)+1)
		residual := 1.0
		for k, other := range kept {
			sum := covariance.At(c.place, other.place) / (c.spread * other.spread)
			for m := range k {
				sum -= row[m] * factor[k][m]
			}
			row[k] = sum / factor[k][k]
			residual -= row[k] * row[k]
		}
		if residual < nearly*nearly {
			b := solveTransposed(factor, row[:len(kept)])
			if residual < max(determined*determined, rounding*(1+floats.Dot(b, b))) {
				c.feature.Instead, c.feature.Offset = partsOf(c, kept, b, mean)
				continue
			}
			if c.feature.Name == c.coding.Column {
				e.Nearly = append(e.Nearly, Dependence{Name: c.coding.Column, By: columnsOf(kept, b)})
			}
		}
		row[len(kept)] = math.Sqrt(residual)
		kept, factor = append(kept, c), append(factor, row)
	}
	for _, c := range e.Columns {
		e.LeftOut = append(e.LeftOut, e.dependencesOf(c)...)
	}
}

// candidates returns the features in the order in which they are considered.
func (e *Encoding) candidates(covariance mat.Symmetric) []candidate {
	var named, unnamed []candidate
	place := 0
	for _, c := range e.Columns {
		for k := range c.Features {
			one := candidate{c, &c.Features[k], math.Sqrt(covariance.At(place, place)), place}
			if c.Kind == catalogue.Embedding {
				unnamed = append(unnamed, one)
			} else {
				named = append(named, one)
			}
			place++
		}
	}
	return append(named, unnamed...)
}

// moments returns the mean and the covariance of all features, in one pass: the sums around the mean of each block
// are put together by
//
//	S ← S + S_block + (n m/(n + m)) δδ'
//
// with n and m the arms so far and in the block and δ the difference of their means. Nothing
// is lost where a feature varies little around a large mean.
func (e *Encoding) moments(t *catalogue.Table) (mean []float64, covariance *mat.SymDense) {
	width := len(e.Features())
	sums := mat.NewSymDense(width, nil)
	mean = make([]float64, width)
	blockMean := make([]float64, width)
	difference := mat.NewVecDense(width, nil)
	eachBlock(e.open(t, &catalogue.Problems{}), t.Len(), width, func(from int, block []float64) {
		rows := len(block) / width
		n, m := float64(from), float64(rows)
		clear(blockMean)
		for i, x := range block {
			blockMean[i%width] += x / m
		}
		for i := range block {
			block[i] -= blockMean[i%width]
		}
		for k := range mean {
			difference.SetVec(k, blockMean[k]-mean[k])
			mean[k] += (blockMean[k] - mean[k]) * m / (n + m)
		}
		blas64.Syrk(blas.Trans, 1, blas64.General{Rows: rows, Cols: width, Stride: width, Data: block}, 1, sums.RawSymmetric())
		sums.SymRankOne(sums, n*m/(n+m), difference)
	})
	sums.ScaleSym(1/float64(t.Len()), sums)
	return mean, sums
}

// solveTransposed returns b with L'b = l.
func solveTransposed(factor [][]float64, l []float64) []float64 {
	b := slices.Clone(l)
	for k := len(b) - 1; k >= 0; k-- {
		for m := k + 1; m < len(b); m++ {
			b[k] -= factor[m][k] * b[m]
		}
		b[k] /= factor[k][k]
	}
	return b
}

// partsOf returns the features that make up another, in their own units, and the constant.
func partsOf(c candidate, kept []candidate, b, mean []float64) (parts []Part, offset float64) {
	const nothing = 1e-5
	offset = mean[c.place]
	for k, other := range kept {
		if math.Abs(b[k]) > nothing {
			weight := b[k] * c.spread / other.spread
			parts = append(parts, Part{other.feature.Name, weight})
			offset -= weight * mean[other.place]
		}
	}
	return parts, offset
}

// columnsOf returns the columns of the features that matter in a sum.
func columnsOf(kept []candidate, b []float64) []string {
	var names []string
	for k, other := range kept {
		if math.Abs(b[k]) > nearly && !slices.Contains(names, other.coding.Column) {
			names = append(names, other.coding.Column)
		}
	}
	return names
}

// dependencesOf says what of a column is left out: the column, or some of its features.
func (e *Encoding) dependencesOf(c *Coding) []Dependence {
	var found []Dependence
	var all []string
	for _, f := range c.Features {
		var by []string
		for _, p := range f.Instead {
			if name := e.columnWith(p.Feature); !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
		for _, name := range by {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
		if f.leftOut() {
			found = append(found, Dependence{Name: f.Name, By: by})
		}
	}
	if len(found) == len(c.Features) {
		return []Dependence{{Name: c.Column, By: all}}
	}
	return found
}

// columnWith returns the column that a feature is of.
func (e *Encoding) columnWith(feature string) string {
	for _, c := range e.Columns {
		if slices.ContainsFunc(c.Features, func(f Feature) bool { return f.Name == feature }) {
			return c.Column
		}
	}
	panic("encode: there is no feature " + feature)
}

// LeftOutLines says in a few sentences what is left out, levels of a column together.
func (e *Encoding) LeftOutLines() []string {
	const most = 3
	var lines []string
	for i := 0; i < len(e.LeftOut); {
		one := e.LeftOut[i]
		column, alike := e.levelsFrom(i)
		if alike < 2 {
			lines = append(lines, one.String())
			i++
			continue
		}
		var by []string
		for _, d := range e.LeftOut[i : i+alike] {
			for _, name := range d.By {
				if !slices.Contains(by, name) {
					by = append(by, name)
				}
			}
		}
		lines = append(lines, fmt.Sprintf("%d levels of %s are determined by %s", alike, column, catalogue.Enumerate(by, maxNamed)))
		i += alike
	}
	if more := len(lines) - most; more > 1 {
		lines = append(lines[:most], fmt.Sprintf("%d more columns, or levels of them", more))
	}
	return lines
}

// levelsFrom returns the category of what is left out at a place, and how many of its levels are left
// out from there on.
func (e *Encoding) levelsFrom(at int) (column string, count int) {
	for _, c := range e.Columns {
		if c.Kind != catalogue.Category {
			continue
		}
		count := 0
		for _, d := range e.LeftOut[at:] {
			if d.Never || !strings.HasPrefix(d.Name, c.Column+"=") {
				break
			}
			count++
		}
		if count > 0 {
			return c.Column, count
		}
	}
	return "", 0
}
