package main

import (
	"strconv"
	"strings"
	"unicode"
)

// visible escapes line breaks and other control characters as in Go (\n, \x1b), so that a message stays on one
// line.
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

// quoted returns a name unchanged, or in quotes if it has invisible characters.
func quoted(name string) string {
	if visible(name) == name {
		return name
	}
	return strconv.Quote(name)
}
