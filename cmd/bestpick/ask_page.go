package main

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"bestpick/catalogue/archive"
)

// How the page of a question looks.
const (
	narrowest      = 20 // of a card, in columns: where there is less room they stand one below the other
	widest         = 36
	mostContenders = 6 // that are listed
	barLength      = 20
)

// askPage draws the question of a session for a terminal of a size: the options side by side, what is
// known, and the keys. Whatever does not fit is cut off at the bottom.
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

// askCards draws the options in question: side by side, or one below the other and shorter where there is
// no room for that.
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

// cardText is what is on a card, in lines, of which the first is the name.
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

// contenderBars has a line for each of the arms that may be better than the leader, with how much of the
// evidence there is that refutes it.
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

// bar draws a share, of nothing to all, of something.
func bar(share float64, of string) string {
	share = max(0, min(1, share))
	full := int(share * barLength)
	return fmt.Sprintf("  %s%s %3.0f %% %s", strings.Repeat("█", full), strings.Repeat("░", barLength-full), 100*share, of)
}

// askLines is the question of a session in lines, for whoever has no terminal.
func askLines(s *askSession) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nQuestion %d. %s\n", len(s.answers)+1, s.says())
	for slot, arm := range s.question {
		fmt.Fprintf(&text, "  %s\n", strings.Join(cardText(slot, s.card(arm)), "; "))
	}
	fmt.Fprintf(&text, "1–%d picks, s skips, u takes back, q leaves: ", len(s.question))
	return text.String()
}
