package choice

import "math"

// LogSumExp returns log Σ_i exp(u_i). It subtracts the largest utility first, so utilities of any
// size, including −∞, neither overflow nor lose precision.
func LogSumExp(utilities []float64) float64 {
	top := largest(utilities)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, u := range utilities {
		sum += exp(u - top)
	}
	return top + math.Log(sum)
}

// Probabilities sets dst to the softmax of the utilities (equation 2 of the paper) and returns it.
// It grows dst if needed; dst may be utilities itself.
func Probabilities(dst, utilities []float64) []float64 {
	if cap(dst) < len(utilities) {
		dst = make([]float64, len(utilities))
	}
	dst = dst[:len(utilities)]
	top := largest(utilities)
	sum := 0.0
	for i, u := range utilities {
		dst[i] = exp(u - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
	return dst
}

func largest(xs []float64) float64 {
	if len(xs) == 0 {
		panic("choice: there must be at least one utility")
	}
	top := xs[0]
	for _, x := range xs[1:] {
		top = max(top, x)
	}
	return top
}
