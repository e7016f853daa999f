package main

import (
	"strconv"
	"strings"
	"unicode"
)

// visible writes line breaks and other control characters as Go does (\n, \x1b): what is said in
// one line stays in one.
func visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			quoted := strconv.QuoteRune(r)
			out.WriteString(quoted[1 : len(quoted)-1])
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// quoted returns a name as it is, or in quotes where not all of it is visible.
func quoted(name string) string {
	if visible(name) == name {
		return name
	}
	return strconv.Quote(name)
}
