package terminal

import (
	"strings"

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
