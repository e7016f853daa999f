package interview

import (
	"fmt"
	"math"
	"strings"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/terminal"
	"bestpick/strategy"
)

// Says returns the verdict in words.
func (s *Session) Says() string {
	v := s.racing.Verdict()
	name, answers := nameOf(s.card(v.Leader)), terminal.Count(v.Answered, "answer")
	switch {
	case v.Status == strategy.Certified:
		return fmt.Sprintf("%s is your favourite, after %s. That is wrong at most once in %.0f times.", name, answers, 1/s.settings.Delta)
	case v.Status != strategy.Asking:
		return fmt.Sprintf("%s leads after %s, and nothing can be certain: %s", name, answers, v.Model.Sentence)
	case v.Answered == 0:
		return "Nothing is known yet."
	}
	possible := "1 other is possible"
	if others := len(v.Contenders) - 1 + v.Others; others != 1 {
		possible = fmt.Sprintf("%d others are possible", others)
	}
	text := fmt.Sprintf("%s leads after %s; %s (%.0f%% ruled out)", name, answers, possible, 100*v.Elimination.Share())
	return text + likely(v.Forecast.Shown(v.Answered), v.Answered) + "."
}

// Favourite describes the leader, with a line for each attribute.
func (s *Session) Favourite() string {
	var text strings.Builder
	card := s.card(s.racing.Verdict().Leader)
	if card.Description != "" {
		fmt.Fprintln(&text, terminal.Visible(card.Description))
	}
	for _, attribute := range card.Attributes {
		fmt.Fprintf(&text, "  %s: %s\n", terminal.Visible(attribute.Name), terminal.Visible(attribute.Value))
	}
	return text.String()
}

// likely returns in words how many answers in all a forecast that is shown expects, after a number of them.
func likely(f strategy.Forecast, answered int) string {
	const vague = 1e6
	switch {
	case f.Hopeless:
		return "; they may be too close to tell apart"
	case !f.Known:
		return ""
	case f.Low == 0:
		return "; more than 10 million answers, probably"
	case f.High == 0 || f.High >= vague:
		return fmt.Sprintf("; at least %.0f answers in all, probably", float64(answered)+math.Ceil(f.Low))
	}
	return fmt.Sprintf("; %.0f to %.0f answers in all, four times of five", float64(answered)+math.Ceil(f.Low), float64(answered)+math.Ceil(f.High))
}

// nameOf returns the display name of an arm.
func nameOf(c archive.Card) string { return terminal.Name(c.Label, c.ID) }
