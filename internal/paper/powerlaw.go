package paper

import "math"

// powerLaw fits log y = c + b·log x by least squares and returns b with its standard
// error.
func powerLaw(xs, ys []float64) (exponent, se float64) {
	var n, sx, sy, sxx, sxy float64
	for i, x := range xs {
		lx, ly := math.Log(x), math.Log(ys[i])
		n, sx, sy, sxx, sxy = n+1, sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	exponent = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	residual := 0.0
	for i, x := range xs {
		r := math.Log(ys[i]) - sy/n - exponent*(math.Log(x)-sx/n)
		residual += r * r
	}
	return exponent, math.Sqrt(residual / max(n-2, 1) / (sxx - sx*sx/n))
}
