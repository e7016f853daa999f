package table

import (
	"regexp"
	"strings"
)

// formula matches texts that a spreadsheet takes for formulas, and those that would look like
// them with an apostrophe in front. Some spreadsheets take the wide characters of East Asia, too.
var formula = regexp.MustCompile(`^'*\s*[=+\-@＝＋－＠]`)

// Protect returns a text that is no formula in a spreadsheet.
func Protect(text string) string {
	if formula.MatchString(text) {
		return "'" + text
	}
	return text
}

// Unprotect returns the text that was protected.
func Unprotect(text string) string {
	if rest, found := strings.CutPrefix(text, "'"); found && formula.MatchString(rest) {
		return rest
	}
	return text
}
