package table

import (
	"regexp"
	"strings"
)

// formula matches texts that spreadsheets execute as formulas, also after apostrophes. Some
// spreadsheets accept full-width characters, too.
var formula = regexp.MustCompile(`^'*\s*[=+\-@＝＋－＠]`)

// Protect adds an apostrophe to a text that spreadsheets would execute as a formula.
func Protect(text string) string {
	if formula.MatchString(text) {
		return "'" + text
	}
	return text
}

// Unprotect reverses [Protect].
func Unprotect(text string) string {
	if rest, found := strings.CutPrefix(text, "'"); found && formula.MatchString(rest) {
		return rest
	}
	return text
}
