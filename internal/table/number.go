package table

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// ParseNumber parses a finite number, with the result of [strconv.ParseFloat].
func ParseNumber[T string | []byte](text T) (x float64, ok bool) {
	if x, _, plain := PlainDecimal(text); plain {
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
func PlainDecimal[T string | []byte](text T) (x float64, decimals int, plain bool) {
	const maxDigits = len(powersOfTen)
	if len(text) == 0 || len(text) > len("-.")+maxDigits {
		return 0, 0, false
	}
	sign := 0
	if text[0] == '-' {
		sign = 1
	}
	mantissa, point := uint64(0), len(text)
	for at := sign; at < len(text); at++ {
		switch digit := text[at] - '0'; {
		case digit <= 9:
			mantissa = mantissa*10 + uint64(digit)
		case text[at] == '.' && point == len(text) && at < len(text)-1:
			point = at
		default:
			return 0, 0, false
		}
	}
	whole := point - sign
	decimals = max(0, len(text)-point-1)
	if whole == 0 || whole > 1 && text[sign] == '0' || whole+decimals > maxDigits {
		return 0, 0, false
	}
	return float64(1-2*sign) * (float64(mantissa) / powersOfTen[decimals]), decimals, true
}

// NoNumber returns the problem of a text that [ParseNumber] rejects.
func NoNumber(text string) Problem {
	const code = "no-number"
	_, err := strconv.ParseFloat(text, 64)
	marks := strings.FieldsFunc(text, func(c rune) bool { return c != ',' && c != '.' })
	comma := strings.IndexByte(text, ',')
	switch {
	case IsMissing(text):
		return NoValue(text)
	case err == nil || errors.Is(err, strconv.ErrRange):
		return Problemf("not-finite", "%q is not a finite number", text)
	case comma < 0 || strings.ContainsFunc(text, unicode.IsLetter):
		return Problemf(code, "%q is not a number", text)
	case len(marks) > 1 || comma == len(text)-len(",234"):
		return Problemf(code, "%q is not a number; decimals take a point, and nothing goes between thousands", text)
	default:
		return Problemf(code, "%q is not a number; decimals take a point", text)
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

// IsRowName reports whether the name of a column, counted from 0, is one under which programs write row numbers: pandas
// and R leave it empty, and call it Unnamed: 0 or X when they read the file again.
func IsRowName(name string, column int) bool {
	if name == "" || name == "X" {
		return column == 0
	}
	switch strings.ToLower(strings.TrimRight(name, ".")) {
	case "unnamed: 0", "__index_level_0__", "level_0", "rownames", "row.names", "rowname", "rownumber", "row_number", "row number",
		"row", "index", "no", "nr", "#", "obs":
		return true
	}
	return false
}

// IsMissing reports whether a text is a placeholder for a missing value, such as NA.
func IsMissing(text string) bool {
	const longest = 4
	if len(text) > longest || text != "" && text[0] != 'n' && text[0] != 'N' {
		return false
	}
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null":
		return true
	}
	return false
}
