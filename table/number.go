package table

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseNumber returns the finite number that a text says, the one that
// [strconv.ParseFloat] returns. Short decimals, which most are, it reads in one go: a
// mantissa m below 2⁵³ and the power 10ᵉ for |e| ≤ 22 are exact, so that
//
//	m·10ᵉ or m/10⁻ᵉ
//
// is rounded only once.
func ParseNumber[T string | []byte](text T) (x float64, ok bool) {
	if x, ok = shortDecimal(text); ok {
		return x, true
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// powersOfTen are those that are exact.
//
//nolint:gochecknoglobals // a table of constants that Go cannot write as one
var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// shortDecimal reads a decimal whose mantissa and power of ten are exact. What it
// refuses may still be a number.
func shortDecimal[T string | []byte](text T) (float64, bool) {
	const mostDigits = 19 // fit 64 bits
	i := 0
	negative := len(text) > 0 && text[0] == '-'
	if negative || len(text) > 0 && text[0] == '+' {
		i++
	}
	mantissa, digits, point := uint64(0), 0, -1
	for ; i < len(text); i++ {
		if d := text[i] - '0'; d <= 9 {
			mantissa = mantissa*10 + uint64(d)
			digits++
		} else if text[i] == '.' && point < 0 {
			point = digits
		} else {
			break
		}
	}
	if digits == 0 || digits > mostDigits || mantissa >= 1<<53 {
		return 0, false
	}
	exponent := 0
	if point >= 0 {
		exponent = point - digits
	}
	if i < len(text) {
		e, ok := shortExponent(text[i:])
		if !ok {
			return 0, false
		}
		exponent += e
	}
	x := float64(mantissa)
	switch {
	case exponent < -22 || exponent > 22:
		return 0, false
	case exponent < 0:
		x /= powersOfTen[-exponent]
	default:
		x *= powersOfTen[exponent]
	}
	if negative {
		x = -x
	}
	return x, true
}

// shortExponent reads an exponent of one or two digits, with its letter.
func shortExponent[T string | []byte](text T) (int, bool) {
	if text[0]|0x20 != 'e' {
		return 0, false
	}
	i := 1
	negative := i < len(text) && text[i] == '-'
	if negative || i < len(text) && text[i] == '+' {
		i++
	}
	if i == len(text) || len(text)-i > 2 {
		return 0, false
	}
	e := 0
	for ; i < len(text); i++ {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		e = e*10 + int(d)
	}
	if negative {
		e = -e
	}
	return e, true
}

// NoNumber says what is wrong with a text that [ParseNumber] refuses.
func NoNumber(text string) string {
	_, err := strconv.ParseFloat(text, 64)
	switch {
	case IsMissing(text):
		return NoValue(text)
	case err == nil || errors.Is(err, strconv.ErrRange):
		return fmt.Sprintf("%q is not a finite number", text)
	case strings.Count(text, ",") == 1:
		return fmt.Sprintf("%q is not a number; decimals take a point", text)
	default:
		return fmt.Sprintf("%q is not a number", text)
	}
}

// NoValue says that a value is missing, with the text that says so in its place.
func NoValue(text string) string {
	if text != "" {
		return fmt.Sprintf("the value is missing (%q)", text)
	}
	return "the value is missing"
}

// LooksNumeric reports whether a text is meant to be a number, even one that
// [ParseNumber] refuses: missing, out of range, or with a decimal comma.
func LooksNumeric(text string) bool {
	_, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return err == nil || errors.Is(err, strconv.ErrRange) || IsMissing(text)
}

// IsMissing reports whether a field says that its value is not known.
func IsMissing(text string) bool {
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null":
		return true
	}
	return false
}
