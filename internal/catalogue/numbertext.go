package catalogue

import (
	"regexp"
	"strings"

	"bestpick/internal/table"
)

// A numberText is the text of a number, split. The number may have separators.
type numberText struct{ number, unit string }

const (
	currencies = `\p{Sc}|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL`
	unitNames  = `%|‰|°C|°F|"|″|[kKmµ]?g|KG|lbs?|oz|[kcm]?m|CM|MM|KM|in|ft|mi|[cm]?l|mL|L|k?W|k?Wh|V|m?Ah|[kKMGT]B|[MGT]b|gb|[kMG]?Hz|MP|px|h|min|m?s`
	unitWord   = `[^\s\d.,:/-][^\s\d]{0,7}` // after a space
)

var numberPattern = regexp.MustCompile(`^([+-]?)(` + currencies + `)?\s*([+-]?\d[\d,.'’ \x{a0}\x{202f}]*?)\s*(?:(` +
	currencies + `|` + unitNames + `)|\s(` + unitWord + `))?$`)

// splitNumber splits a text with a number in it.
func splitNumber(text string) (parts numberText, ok bool) {
	const longest = 40
	if len(text) > longest || !strings.ContainsAny(text, "0123456789") {
		return numberText{}, false
	}
	if _, plain := table.ParseNumber(text); plain {
		return numberText{number: text}, true
	}
	found := numberPattern.FindStringSubmatch(text)
	if found == nil || isMonth(found[5]) || found[2] != "" && found[4]+found[5] != "" {
		return numberText{}, false
	}
	return numberText{found[1] + found[3], found[2] + found[4] + found[5]}, true
}

// isSeparator reports whether a character may separate thousands or decimals.
func isSeparator(c rune) bool { return strings.ContainsRune(",.'’ \u00a0\u202f", c) }

// isMonth reports whether a word starts with the name of a month.
func isMonth(word string) bool {
	const months = "jan feb mar apr may jun jul aug sep oct nov dec"
	return len(word) >= 3 && strings.Contains(months, strings.ToLower(word)[:3])
}

// IsNoNumber reports whether a value of a column of numbers says that there is none.
func IsNoNumber(text string) bool {
	switch strings.ToLower(text) {
	case "-", "–", "—", "?", "unknown", "none", "tbd", "n.a.":
		return true
	}
	return table.IsMissing(text)
}
