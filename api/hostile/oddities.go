package hostile

import (
	"strconv"
	"strings"
)

// oddities are what can be in the place of something else.
type oddities struct{ texts, numbers, values []string }

func newOddities() oddities { return oddities{oddTexts(), oddNumbers(), oddValues()} }

// oddTexts are texts that somebody may take for something else, or that nobody can keep.
func oddTexts() []string {
	return []string{
		"", " ", "\x00", "a\x00b", "\xff\xfe", "\xc3(", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\ufeff", "\u202e\u2066", "e\u0301", "🍒\u200d🍒",
		"\r\nX-Odd: 1", "\t", "\x1b[2J", "../../etc/passwd", "C:\\con", "%00", "%s%d%n", "{{7*7}}", "${x}", "<script>alert(1)</script>",
		"' or 1=1 --", "=1+1", "@x", "null", "NaN", "-1", "1e999", "true", `"`, `\`, ";", ",", "W/\"1\"",
		strings.Repeat("x", 201), strings.Repeat("é", 1001), strings.Repeat("y", 20_000), strings.Repeat("\"", 70_000), strings.Repeat("z", 1<<20),
	}
}

// oddNumbers are numbers as JSON has them, or does not.
func oddNumbers() []string {
	return []string{
		"0", "-0", "-1", "1", "2.5", "1e0", "1E+2", "1e400", "-1e400", "1e-400", "5e-324", "1.7976931348623157e308", "0.1", "1e-100", "1e-7",
		"9007199254740993", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616",
		"1e19", "1000000000000", strings.Repeat("9", 400), "0." + strings.Repeat("3", 4000), "1e" + strings.Repeat("9", 30),
		"NaN", "Infinity", "-Infinity", ".5", "5.", "+1", "0x10", "1_000", "٣", "--1", "1e",
	}
}

// beyond are numbers at the ends of what a schema allows, and outside.
func beyond(s *schema) []string {
	var list []string
	for _, end := range []*float64{s.Minimum, s.Maximum} {
		if end != nil {
			for _, step := range []float64{-1, -1e-9, 0, 1e-9, 1} {
				list = append(list, strconv.FormatFloat(*end+step, 'g', -1, 64))
			}
		}
	}
	return list
}

// oddValues are values in JSON, of all types.
func oddValues() []string {
	return []string{
		"null", "true", "false", "{}", "[]", `""`, "[null]", "[[]]", `{"":1}`, `{"a":{}}`, `"\ud800"`, `"\u0000"`, `"\udc00\ud800"`, "\"\xff\"", "\"\x01\"", "[1,]", "{,}", "'x'", "undefined",
		nested("[", "]", 20), nested("[", "]", 9000), nested("[", "]", 11_000), strings.Repeat("[", 100_000),
		nested(`{"a":`, "1}", 500), nested(`{"settings":`, "1}", 9000), nested(`{"`+strings.Repeat("n", 80)+`":`, "1}", 9000),
		"[" + strings.Repeat("0,", 100_000) + "0]", "{" + strings.Repeat(`"a":1,`, 50_000) + `"a":1}`,
	}
}

// nested is a value inside so many others.
func nested(open, end string, depth int) string {
	inner := strings.TrimRight(end, "]}")
	return strings.Repeat(open, depth) + inner + strings.Repeat(strings.TrimPrefix(end, inner), depth)
}
