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

// ParseNumber returns the finite number that a text says, the one that
// [strconv.ParseFloat] returns.
func ParseNumber[T string | []byte](text T) (x float64, ok bool) {
	if x, _, n := shortDecimal([]byte(text)); n > 0 && n == len(text) {
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

// shortDecimal reads the decimal at the start of a text, if it is one that can be read in one
// go, as most can: a mantissa m below 2⁵³ and the power 10ᵉ for |e| ≤ 22 are exact, so that
//
//	m·10ᵉ or m/10⁻ᵉ
//
// is rounded only once. It returns how long the decimal is, 0 where there is none or it takes
// more to read it. Where it is a plain decimal and m is below 2⁵², writing the number with so many
// decimals gives the text again, since the rounding is less than half of the last; where it may
// not, decimals is −1.
func shortDecimal(text []byte) (x float64, decimals, length int) {
	const mostDigits = 19 // fit 64 bits
	if len(text) == 0 {
		return 0, 0, 0
	}
	sign := uint64(0)
	if text[0] == '-' {
		sign = 1
	}
	at := int(sign)
	if text[0] == '+' {
		at = 1
	}
	mantissa, digits := readDigits(text[at:], 0)
	plain := digits > 0 && text[0] != '+' && (digits == 1 || text[at] != '0')
	at += digits
	exponent := 0
	if at < len(text) && text[at] == '.' {
		behind := text[at+1:]
		if decimals = digitsAhead(behind); 0 < decimals && decimals < 8 {
			mantissa = mantissa*uint64(int64(powersOfTen[decimals])) + firstDigits(behind, decimals)
		} else {
			mantissa, decimals = readDigits(behind, mantissa)
		}
		at += 1 + decimals
		digits += decimals
		exponent = -decimals
		plain = plain && decimals > 0
	}
	if digits == 0 || digits > mostDigits || mantissa >= 1<<53 {
		return 0, 0, 0
	}
	if at < len(text) && text[at]|0x20 == 'e' {
		e, n := readExponent(text[at:])
		if n == 0 {
			return 0, 0, 0
		}
		exponent += e
		at += n
		plain = false
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
	return math.Float64frombits(math.Float64bits(x) | sign<<63), decimals, at
}

// PlainDecimal reports whether a text is a decimal as it is usually written, how many digits it has
// and how many of them are decimals: -12.50 is one, but +5, 05, .5, 5. and 1e5 are not.
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

// readDigits reads the digits at the start of a text. It returns the number that they make
// behind others, and how many they are.
func readDigits(text []byte, number uint64) (uint64, int) {
	for i, c := range text {
		if c-'0' > 9 {
			return number, i
		}
		number = number*10 + uint64(c-'0')
	}
	return number, len(text)
}

// zeros is the digit 0 in eight bytes.
const zeros = 0x3030303030303030

// digitsAhead returns how many of the first eight bytes of a text are digits, -1 where there
// may be no eight bytes to look at. A byte x above 9 has its top bit set in x + 0x76 or in x,
// and perhaps so have some behind the first such byte.
func digitsAhead(text []byte) int {
	if cap(text) < 8 {
		return -1
	}
	x := binary.LittleEndian.Uint64(text[:8]) ^ zeros
	others := (x + 0x7676767676767676 | x) & 0x8080808080808080
	return min(bits.TrailingZeros64(others)/8, len(text))
}

// firstDigits returns the number that the first n digits of a text make, of which there must
// be one to eight. All are summed at once: the digits to pairs, these to fours, these to eight.
func firstDigits(text []byte, n int) uint64 {
	x := (binary.LittleEndian.Uint64(text[:8]) ^ zeros) << (64 - 8*n)
	x = (x*10 + x>>8) & 0x00ff00ff00ff00ff
	x = (x*100 + x>>16) & 0x0000ffff0000ffff
	return (x*10_000 + x>>32) & 0xffffffff
}

// readExponent reads an exponent of one or two digits, with its letter. It returns how long
// it is, 0 where it is none.
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

// NoNumber says what is wrong with a text that [ParseNumber] refuses.
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
