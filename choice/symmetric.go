package choice

import "gonum.org/v1/gonum/mat"

func dot(x, y []float64) float64 {
	sum := 0.0
	y = y[:len(x)]
	for k, v := range x {
		sum += v * y[k]
	}
	return sum
}

// addScaled adds w·x to y.
func addScaled(y []float64, w float64, x []float64) {
	x = x[:len(y)]
	for k := range y {
		y[k] += w * x[k]
	}
}

// addOuter adds w·x·x' to the upper triangle of the d×d matrix h. Zeros in x cost
// next to nothing, which is what makes indicators cheap.
func addOuter(h []float64, w float64, x []float64) {
	d := len(x)
	for i, xi := range x {
		if xi == 0 {
			continue
		}
		addScaled(h[i*d+i:(i+1)*d], w*xi, x[i:])
	}
}

// cells returns the row-major storage of a symmetric matrix, of which the upper
// triangle counts, after checking that it is d×d and contiguous.
func cells(a *mat.SymDense, d int) []float64 {
	raw := a.RawSymmetric()
	if raw.N != d || raw.Stride != d {
		panic("choice: information matrix of the wrong size")
	}
	return raw.Data[:d*d]
}
