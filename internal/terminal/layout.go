package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Bold draws a text in bold, on lines of at most width columns.
func Bold(text string, width int) string { return styled("\x1b[1m", text, width) }

// Faint draws a text in a faint colour, on lines of at most width columns.
func Faint(text string, width int) string { return styled("\x1b[2m", text, width) }

func styled(style, text string, width int) string {
	return style + strings.Join(wrap(text, width), "\x1b[m\n"+style) + "\x1b[m"
}

// Wrap breaks a text into lines of at most width columns, between words where it can.
func Wrap(text string, width int) string { return strings.Join(wrap(text, width), "\n") }

func wrap(text string, width int) []string {
	var lines []string
	line, used := "", 0
	for word := range strings.SplitSeq(text, " ") {
		if line != "" && used+1+uniseg.StringWidth(word) > width {
			lines, line, used = append(lines, line), "", 0
		}
		if line != "" {
			line, used = line+" ", used+1
		}
		for letters := uniseg.NewGraphemes(word); letters.Next(); {
			if line != "" && used+letters.Width() > width {
				lines, line, used = append(lines, line), "", 0
			}
			line, used = line+letters.Str(), used+letters.Width()
		}
	}
	return append(lines, line)
}

// A Card is a box with a title and lines of text.
type Card struct {
	Title    string
	Lines    []string
	Selected bool // has a thick border
}

// rows draws a card of a width in columns, its border included.
func (c Card) rows(width int) []string {
	corners, side, bar := []string{"╭", "╮", "╰", "╯"}, "│", "─"
	if c.Selected {
		corners, side, bar = []string{"┏", "┓", "┗", "┛"}, "┃", "━"
	}
	inner := max(width-4, 1) // without the border and a space on each side
	edge := strings.Repeat(bar, inner+2)
	rows := []string{corners[0] + edge + corners[1]}
	row := func(line, before, after string) {
		rows = append(rows, side+" "+before+line+after+strings.Repeat(" ", max(inner-uniseg.StringWidth(line), 0))+" "+side)
	}
	for _, line := range wrap(c.Title, inner) {
		row(line, "\x1b[1m", "\x1b[m")
	}
	for _, text := range c.Lines {
		for _, line := range wrap(text, inner) {
			row(line, "", "")
		}
	}
	return append(rows, corners[2]+edge+corners[3])
}

// Stack draws cards below each other.
func Stack(cards []Card, width int) string {
	var rows []string
	for _, card := range cards {
		rows = append(rows, card.rows(width)...)
	}
	return strings.Join(rows, "\n")
}

// Beside draws cards of a width each beside each other.
func Beside(cards []Card, width int) string {
	var lines []string
	for i, card := range cards {
		rows := card.rows(width)
		for len(lines) < len(rows) {
			lines = append(lines, strings.Repeat(" ", i*width))
		}
		for j := range lines {
			if j < len(rows) {
				lines[j] += rows[j]
			} else {
				lines[j] += strings.Repeat(" ", width)
			}
		}
	}
	return strings.Join(lines, "\n")
}

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
