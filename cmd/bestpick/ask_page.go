package main

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"bestpick/internal/catalogue/archive"
)

// How the page of a question looks.
const (
	narrowest      = 20 // minimum width of a card, in columns; narrower cards are stacked
	widest         = 36
	mostContenders = 6 // listed
	barLength      = 20
)

// askPage draws the question of a session for a terminal of a given size: the options side by side, the
// verdict so far, and the keys. Lines that do not fit are cut off at the bottom.
func askPage(s *askSession, width, height, selected int) string {
	paragraph := lipgloss.NewStyle().Width(width)
	page := strings.Join([]string{
		paragraph.Bold(true).Render(fmt.Sprintf("Which one do you like best? (question %d)", len(s.answers)+1)),
		askCards(s, width, selected),
		paragraph.Faint(true).Render(fmt.Sprintf("1–%d or arrows and Enter pick · s skips · u takes back · q leaves, to go on later", len(s.question))),
		"",
		paragraph.Render(s.says()),
		contenderBars(s),
	}, "\n")
	lines := strings.Split(page, "\n")
	return strings.Join(lines[:min(len(lines), max(height-1, 1))], "\n")
}

// askCards draws the options of the question side by side, or stacked and shorter if the terminal is too
// narrow.
func askCards(s *askSession, width, selected int) string {
	each := min(width/len(s.question), widest)
	stacked := each < narrowest
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
	lines := []string{fmt.Sprintf("%d  %s", slot+1, cardName(c))}
	if c.Description != "" {
		lines = append(lines, visible(c.Description))
	}
	for _, attribute := range c.Attributes {
		lines = append(lines, fmt.Sprintf("%s: %s", visible(attribute.Name), visible(attribute.Value)))
	}
	return lines
}

// contenderBars returns a line for each contender, with the evidence against it as a share of the threshold.
func contenderBars(s *askSession) string {
	var text strings.Builder
	standings := s.verdict().Standings
	for i, standing := range standings {
		if i == mostContenders {
			fmt.Fprintf(&text, "  and %d more\n", len(standings)-i)
			break
		}
		fmt.Fprintln(&text, bar(s.evidence(standing), "against "+cardName(s.card(standing.Arm))))
	}
	return text.String()
}

// bar draws a share from 0 to 1.
func bar(share float64, of string) string {
	share = max(0, min(1, share))
	full := int(share * barLength)
	return fmt.Sprintf("  %s%s %3.0f %% %s", strings.Repeat("█", full), strings.Repeat("░", barLength-full), 100*share, of)
}

// askLines returns the question of a session as lines, for input without a terminal.
func askLines(s *askSession) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nQuestion %d. %s\n", len(s.answers)+1, s.says())
	for slot, arm := range s.question {
		fmt.Fprintf(&text, "  %s\n", strings.Join(cardText(slot, s.card(arm)), "; "))
	}
	fmt.Fprintf(&text, "1–%d picks, s skips, u undoes, q quits: ", len(s.question))
	return text.String()
}
