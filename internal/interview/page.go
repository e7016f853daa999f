package interview

import (
	"fmt"
	"math"
	"strings"

	"charm.land/lipgloss/v2"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/terminal"
)

// How the page of a question looks.
const (
	minCardWidth  = 20 // in columns; narrower cards are stacked
	maxCardWidth  = 36
	maxContenders = 6 // listed
)

// page draws the question for a terminal of a given width: the options side by side, the verdict so far, and the
// keys.
func (s *Session) page(width, selected int) string {
	paragraph := lipgloss.NewStyle().Width(width)
	return strings.Join([]string{
		paragraph.Bold(true).Render(fmt.Sprintf("Which one do you like best? (question %d)", len(s.answers)+1)),
		s.cards(width, selected),
		paragraph.Faint(true).Render(fmt.Sprintf("1–%d or arrows and Enter pick · s skips · u takes back · q leaves, to go on later", len(s.question))),
		"",
		paragraph.Render(s.Says()),
		s.contenders(),
	}, "\n")
}

// cards draws the options of the question side by side, or stacked and shorter if the terminal is too
// narrow.
func (s *Session) cards(width, selected int) string {
	each := min(width/len(s.question), maxCardWidth)
	stacked := each < minCardWidth
	if stacked {
		each = width
	}
	cards := make([]string, len(s.question))
	for slot, arm := range s.question {
		text := cardText(slot, s.card(arm))
		text[0] = lipgloss.NewStyle().Bold(true).Render(text[0])
		if stacked {
			text = []string{text[0], strings.Join(text[1:], "; ")}
		}
		border := lipgloss.RoundedBorder()
		if slot == selected {
			border = lipgloss.ThickBorder()
		}
		cards[slot] = lipgloss.NewStyle().Border(border).Padding(0, 1).Width(each).Render(strings.Join(text, "\n"))
	}
	if stacked {
		return strings.Join(cards, "\n")
	}
	return lipgloss.JoinHorizontal(lipgloss.Top, cards...)
}

// cardText returns the lines of a card, the name first.
func cardText(slot int, c archive.Card) []string {
	lines := []string{fmt.Sprintf("%d  %s", slot+1, nameOf(c))}
	if c.Description != "" {
		lines = append(lines, terminal.Visible(c.Description))
	}
	for _, attribute := range c.Attributes {
		lines = append(lines, fmt.Sprintf("%s: %s", terminal.Visible(attribute.Name), terminal.Visible(attribute.Value)))
	}
	return lines
}

// contenders returns a line for each contender, with the evidence against it as a share of the threshold.
func (s *Session) contenders() string {
	var text strings.Builder
	standings, threshold := s.racing.Verdict().Standings, math.Log(1/s.settings.Delta)
	for i, standing := range standings {
		if i == maxContenders {
			fmt.Fprintf(&text, "  and %d more\n", len(standings)-i)
			break
		}
		fmt.Fprintln(&text, terminal.Bar(standing.Evidence/threshold, "against "+nameOf(s.card(standing.Arm))))
	}
	return text.String()
}

// lines returns the question as lines, for input without a terminal.
func (s *Session) lines() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nQuestion %d. %s\n", len(s.answers)+1, s.Says())
	for slot, arm := range s.question {
		fmt.Fprintf(&text, "  %s\n", strings.Join(cardText(slot, s.card(arm)), "; "))
	}
	fmt.Fprintf(&text, "1–%d picks, s skips, u undoes, q quits: ", len(s.question))
	return text.String()
}
