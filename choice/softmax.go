package choice

import (
	"math"
)

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

// exp returns eˣ to within two units in the last place, in about half the time of [math.Exp].
// Exponentials dominate the cost of a softmax.
//
// With n the integer nearest to x·64/log 2 and r = x − n·(log 2)/64,
//
//	eˣ = 2^(n div 64) · 2^((n mod 64)/64) · eʳ,   |r| ≤ (log 2)/128:
//
// the first factor is an exponent, the second comes from a table of 64 numbers, and five terms of
// the series suffice for the third.
func exp(x float64) float64 {
	if !(x > -expLimit && x < expLimit) {
		return math.Exp(x)
	}
	rounded := (x*stepsPerUnit + roundToInteger) - roundToInteger
	n := int(rounded)
	r := (x - rounded*stepHigh) - rounded*stepLow
	r2 := r * r
	tail := r + r2*(1./2+r*(1./6)+r2*(1./24+r*(1./120)))
	fraction := fractionalPowers[n&63]
	power := math.Float64frombits(uint64(n>>6+1023) << 52)
	return (fraction + fraction*tail) * power
}

const (
	expLimit     = 700 // within ±expLimit eˣ is neither subnormal nor infinite
	stepsPerUnit = 64 / math.Ln2

	// stepHigh is (log 2)/64, rounded to few enough bits that its products with n are exact.
	stepHigh = 0x1.62e42fefap-7
	stepLow  = math.Ln2/64 - stepHigh

	// roundToInteger rounds to an integer when added: the sum has no bits left for a fraction.
	roundToInteger = 1.5 * (1 << 52)
)

// fractionalPowers are the numbers 2^(i/64).
//
//nolint:gochecknoglobals // a table of constants that Go cannot write as one
var fractionalPowers = func() (powers [64]float64) {
	for i := range powers {
		powers[i] = math.Exp2(float64(i) / 64)
	}
	return powers
}()
