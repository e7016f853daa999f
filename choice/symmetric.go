package choice

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// dot returns x'y, added in order. The order of floats.Dot depends on the architecture, and stored
// results must be reproducible.
func dot(x, y []float64) float64 {
	sum := 0.0
	y = y[:len(x)]
	for k, v := range x {
		sum += v * y[k]
	}
	return sum
}

// relativeMargin returns Σ_k v_k·(x_k − y_k) over Σ_k |v_k·(x_k − y_k)|, or 0 if both are zero.
func relativeMargin(v, x, y []float64) float64 {
	margin, moved := 0.0, 0.0
	for k, w := range v {
		part := w * (x[k] - y[k])
		margin += part
		moved += math.Abs(part)
	}
	if moved == 0 {
		return 0
	}
	return margin / moved
}

// addScaled adds w·x to y.
func addScaled(y []float64, w float64, x []float64) {
	x = x[:len(y)]
	if len(y) >= longVector {
		floats.AddScaled(y, w, x)
		return
	}
	for k := range y {
		y[k] += w * x[k]
	}
}

// longVector is the number of entries from which vector instructions are worth a call.
const longVector = 16

// addOuter adds w·x·x' to the upper triangle of the d×d matrix h. It skips zeros in x, which makes
// indicators cheap.
func addOuter(h []float64, w float64, x []float64) {
	d := len(x)
	for i, xi := range x {
		if xi == 0 {
			continue
		}
		addScaled(h[i*d+i:(i+1)*d], w*xi, x[i:])
	}
}

// addWeightedGram adds Σ_i w_i·x_i·x_i' over the rows x_i of a matrix with d columns to a packed
// upper triangle: its rows one after the other, each from the diagonal on. It processes four rows
// at a time to reduce memory traffic, which dominates the cost.
func addWeightedGram(h, weights, rows []float64, d int) {
	for ; len(rows) >= 4*d; weights, rows = weights[4:], rows[4*d:] {
		x, y, z, u := rows[:d], rows[d:2*d], rows[2*d:3*d], rows[3*d:4*d]
		packed := h
		for len(x) > 0 {
			n := len(x)
			row := packed[:n]
			y, z, u = y[:n], z[:n], u[:n]
			a, b, c, e := weights[0]*x[0], weights[1]*y[0], weights[2]*z[0], weights[3]*u[0]
			for j := range row {
				row[j] += a*x[j] + b*y[j] + c*z[j] + e*u[j]
			}
			packed, x, y, z, u = packed[n:], x[1:], y[1:], z[1:], u[1:]
		}
	}
	for ; len(rows) > 0; weights, rows = weights[1:], rows[d:] {
		packed := h
		for x := rows[:d]; len(x) > 0; x = x[1:] {
			addScaled(packed[:len(x)], weights[0]*x[0], x)
			packed = packed[len(x):]
		}
	}
}

// cells returns the row-major storage of a symmetric matrix, whose upper triangle is valid, after
// checking that it is d×d and contiguous.
func cells(a *mat.SymDense, d int) []float64 {
	raw := a.RawSymmetric()
	if raw.N != d || raw.Stride != d {
		panic("choice: the information must be a contiguous d×d matrix")
	}
	return raw.Data[:d*d]
}
