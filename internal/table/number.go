package table

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ParseNumber parses a finite number, with the result of [strconv.ParseFloat].
func ParseNumber[T string | []byte](text T) (x float64, ok bool) {
	if x, _, plain := PlainDecimal([]byte(text)); plain {
		return x, true
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// powersOfTen are those of the decimals of a [PlainDecimal]. All are exact.
//
//nolint:gochecknoglobals // a table of constants that Go cannot write as one
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14}

// PlainDecimal parses a decimal in the usual form with at most 15 digits, as most are: -12.50 is
// plain; +5, 05, .5, 5. and 1e5 are not. The digits and the power of ten are exact in 64 bits, so that
// their quotient is rounded once, as in [strconv.ParseFloat], which takes more than twice as long.
// Formatting x with the returned number of decimals gives the text again.
func PlainDecimal(text []byte) (x float64, decimals int, plain bool) {
	const maxDigits = len(powersOfTen)
	digits := text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > maxDigits+1 {
		return 0, 0, false
	}
	mantissa, point := uint64(0), len(digits)
	for i, c := range digits {
		if digit := c - '0'; digit <= 9 {
			mantissa = mantissa*10 + uint64(digit)
		} else if c == '.' && point == len(digits) {
			point = i
		} else {
			return 0, 0, false
		}
	}
	if decimals = len(digits) - point - 1; decimals < 0 {
		decimals = 0
		plain = len(digits) <= maxDigits
	} else {
		plain = point > 0 && decimals > 0
	}
	if !plain || point > 1 && digits[0] == '0' {
		return 0, 0, false
	}
	x = float64(mantissa) / powersOfTen[decimals]
	if len(digits) < len(text) {
		x = -x
	}
	return x, decimals, true
}

// NoNumber returns the problem of a text that [ParseNumber] rejects.
func NoNumber(text string) Problem {
	const code = "no-number"
	_, err := strconv.ParseFloat(text, 64)
	plain, grouped := Ungrouped(text)
	switch {
	case IsMissing(text):
		return NoValue(text)
	case err == nil || errors.Is(err, strconv.ErrRange):
		return Problemf("not-finite", "%q is not a finite number", text)
	case grouped:
		return Problemf("thousands", "%q is not a number; write %s, without marks between thousands", text, plain)
	case strings.Count(text, ",") == 1 && strings.IndexByte(text, ',') == len(text)-len(",234"):
		return Problemf(code, "%q is not a number; decimals take a point, and nothing goes between thousands", text)
	case strings.Count(text, ",") == 1:
		return Problemf(code, "%q is not a number; decimals take a point", text)
	default:
		return Problemf(code, "%q is not a number", text)
	}
}

// NoValue returns the problem of a missing value. text is its placeholder, such as NA.
func NoValue(text string) Problem {
	if text != "" {
		return Problemf("placeholder", "the value is missing (%q)", text)
	}
	return Problemf("no-value", "the value is missing")
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

// Ungrouped rewrites a number with thousands separators, such as 1,234,567 or 1.234,50 or 1'234.50,
// for [ParseNumber]. It rejects a number with a single comma and no other mark, which may be a decimal
// comma.
func Ungrouped(text string) (plain string, grouped bool) {
	const group = 3
	unsigned := strings.TrimLeft(text, "+-")
	parts := strings.FieldsFunc(unsigned, isMark)
	var marks []rune
	for _, c := range unsigned {
		if isMark(c) {
			marks = append(marks, c)
		}
	}
	if len(marks) == 0 || len(parts) != len(marks)+1 || len(parts[0]) > group {
		return "", false
	}
	last := len(marks) - 1
	decimals := ""
	if c := marks[last]; (c == '.' || c == ',') && (last == 0 || c != marks[0]) {
		decimals = "." + parts[last+1]
		marks, parts = marks[:last], parts[:last+1]
	}
	for i, mark := range marks {
		if mark != marks[0] || len(parts[i+1]) != group {
			return "", false
		}
	}
	plain = text[:len(text)-len(unsigned)] + strings.Join(parts, "") + decimals
	_, isNumber := ParseNumber(plain)
	return plain, isNumber && len(marks) > 0
}

// isMark reports whether a character separates thousands or decimals in some notation.
func isMark(c rune) bool { return strings.ContainsRune(",.'’ \u00a0\u202f", c) }
