package table

import "strings"

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
