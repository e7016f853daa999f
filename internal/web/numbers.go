package web

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Number formats a number with a number of decimals, in the format of the language.
func (w words) Number(x float64, digits int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	whole, rest, _ := strings.Cut(text, ".")
	var out strings.Builder
	if x < 0 && strings.Trim(text, "0.") != "" {
		out.WriteString("−")
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteString(w.messages["number.group"])
		}
		out.WriteRune(digit)
	}
	if rest != "" {
		out.WriteString(w.messages["number.point"] + rest)
	}
	return out.String()
}

// Count formats a whole number.
func (w words) Count(n int) string { return w.Number(float64(n), 0) }

// Short formats a number with as few digits as possible: 20, 0.2, 13.3.
func (w words) Short(x float64) string {
	digits := 0
	for digits < 4 && math.Abs(x-math.Round(x*math.Pow10(digits))/math.Pow10(digits)) > 0.005*math.Abs(x) {
		digits++
	}
	return w.Number(x, digits)
}

// Signed formats a number with its sign.
func (w words) Signed(x float64) string {
	text := w.Number(x, 2)
	if x > 0 && strings.ContainsAny(text, "123456789") {
		return "+" + text
	}
	return text
}

// Percent formats a share.
func (w words) Percent(x float64) string { return w.must("number.percent", "n", w.Number(100*x, 0)) }

// Moment formats a time in UTC, which JavaScript converts to the reader's time zone.
func (words) Moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// Stamp formats a time for programs.
func (words) Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
