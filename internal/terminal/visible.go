package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Visible escapes line breaks and other control characters as in Go (\n, \x1b), so that a message stays on one
// line and cannot control the terminal.
func Visible(text string) string {
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

// Quoted returns a name unchanged, or in quotes if it has invisible characters.
func Quoted(name string) string {
	if Visible(name) == name {
		return name
	}
	return strconv.Quote(name)
}

// Count formats a number of things: "1 answer", "2 answers".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Name returns the display name of an arm: its label, or else its id.
func Name(label, id string) string {
	if label != "" {
		return Visible(label)
	}
	return Visible(id)
}

// Bar draws a share from 0 to 1 as a bar with a caption.
func Bar(share float64, caption string) string {
	const length = 20
	share = max(0, min(1, share))
	full := int(share * length)
	return fmt.Sprintf("  %s%s %3.0f %% %s", strings.Repeat("█", full), strings.Repeat("░", length-full), 100*share, caption)
}
