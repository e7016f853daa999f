package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// ParseNumber parses a finite number, with the result of [strconv.ParseFloat].
func ParseNumber[T string | []byte](text T) (x float64, ok bool) {
	if x, _, n := shortDecimal([]byte(text)); n > 0 && n == len(text) {
		return x, true
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// powersOfTen are the powers that are exact.
//
//nolint:gochecknoglobals // a table of constants that Go cannot write as one
var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// shortDecimal parses the decimal at the start of a text if it is short, as most are: a mantissa m
// below 2⁵³ and the power 10ᵉ for |e| ≤ 22 are exact, so that
//
//	m·10ᵉ or m/10⁻ᵉ
//
// is rounded only once. It takes less than half of the time of [strconv.ParseFloat], which parses any
// decimal first: see BenchmarkParseNumber. It returns the length of the decimal, 0 if there is none
// or it is not short. Formatting x with the returned number of decimals gives the text again if the
// decimal is plain, see [PlainDecimal], and m is below 2⁵², since the rounding error is then less
// than half of the last decimal. Otherwise decimals is −1.
func shortDecimal(text []byte) (x float64, decimals, length int) {
	const maxDigits = 19 // fit 64 bits
	sign, start := signOf(text)
	mantissa, whole := readDigits(text[start:], 0)
	length = start + whole
	if length < len(text) && text[length] == '.' {
		mantissa, decimals = readDecimals(text[length+1:], mantissa)
		length += 1 + decimals
	}
	if digits := whole + decimals; digits == 0 || digits > maxDigits || mantissa >= 1<<53 {
		return 0, 0, 0
	}
	plain := whole > 0 && text[0] != '+' && (whole == 1 || text[start] != '0') && (decimals > 0 || length == start+whole)
	exponent := -decimals
	if length < len(text) && text[length]|0x20 == 'e' {
		e, n := readExponent(text[length:])
		if n == 0 {
			return 0, 0, 0
		}
		exponent, length, plain = exponent+e, length+n, false
	}
	if !plain || mantissa >= 1<<52 {
		decimals = -1
	}
	x = float64(mantissa)
	switch {
	case exponent < -22 || exponent > 22:
		return 0, 0, 0
	case exponent <= 0:
		x /= powersOfTen[-exponent]
	default:
		x *= powersOfTen[exponent]
	}
	return math.Float64frombits(math.Float64bits(x) | sign), decimals, length
}

// signOf returns the sign bit of a number at the start of a text, and the length of the sign. Signs
// of data are hard to predict, so it does not branch on a minus.
func signOf(text []byte) (bit uint64, length int) {
	if len(text) == 0 {
		return 0, 0
	}
	minus := uint64(0)
	if text[0] == '-' {
		minus = 1
	}
	length = int(minus)
	if text[0] == '+' {
		length = 1
	}
	return minus << 63, length
}

// readDecimals does the same as [readDigits], faster for up to seven digits.
func readDecimals(text []byte, number uint64) (uint64, int) {
	if n := digitsAhead(text); 0 < n && n < 8 {
		return number*uint64(int64(powersOfTen[n])) + firstDigits(text, n), n
	}
	return readDigits(text, number)
}

// zeros is the digit 0 in eight bytes.
const zeros = 0x3030303030303030

// digitsAhead returns how many of the first eight bytes of a text are digits, -1 if the text may not
// have eight bytes. A byte x above 9 has its top bit set in x + 0x76 or in x, and perhaps so have
// some after the first such byte.
func digitsAhead(text []byte) int {
	if cap(text) < 8 {
		return -1
	}
	x := binary.LittleEndian.Uint64(text[:8]) ^ zeros
	others := (x + 0x7676767676767676 | x) & 0x8080808080808080
	return min(bits.TrailingZeros64(others)/8, len(text))
}

// firstDigits returns the number of the first n digits of a text, for n from one to eight. It adds
// them at once: the digits to pairs, these to fours, these to eight.
func firstDigits(text []byte, n int) uint64 {
	x := (binary.LittleEndian.Uint64(text[:8]) ^ zeros) << (64 - 8*n)
	x = (x*10 + x>>8) & 0x00ff00ff00ff00ff
	x = (x*100 + x>>16) & 0x0000ffff0000ffff
	return (x*10_000 + x>>32) & 0xffffffff
}

// PlainDecimal reports whether a text is a decimal in the usual form, and returns its numbers of
// digits and of decimals: -12.50 is plain; +5, 05, .5, 5. and 1e5 are not.
func PlainDecimal(text []byte) (digits, decimals int, plain bool) {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	_, whole := readDigits(text, 0)
	switch {
	case whole == 0 || whole > 1 && text[0] == '0':
		return 0, 0, false
	case whole == len(text):
		return whole, 0, true
	case text[whole] != '.':
		return 0, 0, false
	}
	_, decimals = readDigits(text[whole+1:], 0)
	return whole + decimals, decimals, decimals > 0 && whole+1+decimals == len(text)
}

// readDigits parses the digits at the start of a text, appended to those of number, and returns how
// many they are.
func readDigits(text []byte, number uint64) (uint64, int) {
	for i, c := range text {
		if c-'0' > 9 {
			return number, i
		}
		number = number*10 + uint64(c-'0')
	}
	return number, len(text)
}

// readExponent parses an exponent of one or two digits after its letter. It returns the length with
// the letter, 0 if there is none.
func readExponent(text []byte) (exponent, length int) {
	at := 1
	negative := at < len(text) && text[at] == '-'
	if negative || at < len(text) && text[at] == '+' {
		at++
	}
	e, n := readDigits(text[at:], 0)
	if n == 0 || n > 2 {
		return 0, 0
	}
	if negative {
		return -int(e), at + n
	}
	return int(e), at + n
}

// NoNumber returns the problem of a text that [ParseNumber] rejects.
func NoNumber(text string) string {
	_, err := strconv.ParseFloat(text, 64)
	plain, grouped := Ungrouped(text)
	switch {
	case IsMissing(text):
		return NoValue(text)
	case err == nil || errors.Is(err, strconv.ErrRange):
		return fmt.Sprintf("%q is not a finite number", text)
	case grouped:
		return fmt.Sprintf("%q is not a number; write %s, without marks between thousands", text, plain)
	case strings.Count(text, ",") == 1 && strings.IndexByte(text, ',') == len(text)-len(",234"):
		return fmt.Sprintf("%q is not a number; decimals take a point, and nothing goes between thousands", text)
	case strings.Count(text, ",") == 1:
		return fmt.Sprintf("%q is not a number; decimals take a point", text)
	default:
		return fmt.Sprintf("%q is not a number", text)
	}
}

// NoValue returns the problem of a missing value. text is its placeholder, such as NA.
func NoValue(text string) string {
	if text != "" {
		return fmt.Sprintf("the value is missing (%q)", text)
	}
	return "the value is missing"
}

// LooksNumeric reports whether a text is intended as a number, even if [ParseNumber] rejects it:
// missing, out of range, or with a decimal comma.
func LooksNumeric(text string) bool {
	_, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return err == nil || errors.Is(err, strconv.ErrRange) || IsMissing(text)
}

// IsMissing reports whether a text is a placeholder for a missing value, such as NA.
func IsMissing(text string) bool {
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null":
		return true
	}
	return false
}
