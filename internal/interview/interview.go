package interview

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/terminal"
	"bestpick/strategy"
)

// Run asks on a screen until the strategy has stopped or the person quits.
func (s *Session) Run(screen *terminal.Screen) error {
	var cursor cursor
	for !s.Decided() {
		err := screen.Show(func(width int) string { return s.page(width, cursor.slot) }, s.lines)
		if err != nil {
			return err
		}
		key, err := screen.Key()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch slot := cursor.press(key, len(s.question)); {
		case slot >= 0:
			err = s.tell(slot)
		case key == "s":
			err = s.tell(skipped)
		case key == "u":
			err = s.undo()
		case key == "q" || key == terminal.KeyInterrupt:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A cursor is the card that the arrow keys have reached.
type cursor struct{ slot int }

// press returns the slot that a key picks, or skipped. Arrow keys move the cursor, other keys reset it.
func (c *cursor) press(key string, shown int) int {
	at := c.slot
	c.slot = 0
	switch {
	case key == terminal.KeyRight:
		c.slot = (at + 1) % shown
	case key == terminal.KeyLeft:
		c.slot = (at + shown - 1) % shown
	case key == terminal.KeyEnter:
		return at
	case len(key) == 1 && key[0] >= '1' && int(key[0]-'1') < shown:
		return int(key[0] - '1')
	}
	return skipped
}

// A Result is the state of an interview, for programs.
type Result struct {
	Status   string `json:"status"`           // asking, certified or decided
	Leader   string `json:"leader,omitempty"` // id of the best option so far; empty without answers
	Label    string `json:"label,omitempty"`  // of the leader
	Answers  int    `json:"answers"`
	Others   int    `json:"others"` // options that may still be better
	Sentence string `json:"sentence"`
}

// Result returns the state of the interview.
func (s *Session) Result() Result {
	v := s.racing.Verdict()
	r := Result{Status: v.Status.String(), Answers: v.Answered, Others: len(v.Contenders) - 1 + v.Others, Sentence: s.Says()}
	if v.Answered > 0 {
		leader := s.card(v.Leader)
		r.Leader, r.Label = leader.ID, leader.Label
	}
	return r
}

// How the page of a question looks.
const (
	minCardWidth  = 20 // in columns; narrower cards are stacked
	maxCardWidth  = 36
	maxContenders = 6 // listed
)

// page draws the question for a terminal of a given width: the options side by side, the verdict so far, and the
// keys.
func (s *Session) page(width, selected int) string {
	return strings.Join([]string{
		terminal.Bold(fmt.Sprintf("Which one do you like best? (question %d)", len(s.answers)+1), width),
		s.cards(width, selected),
		terminal.Faint(fmt.Sprintf("1–%d or arrows and Enter pick · s skips · u takes back · q leaves, to go on later",
			len(s.question)), width),
		"",
		terminal.Wrap(s.Says(), width),
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
	cards := make([]terminal.Card, len(s.question))
	for slot, arm := range s.question {
		text := cardText(slot, s.card(arm))
		cards[slot] = terminal.Card{Title: text[0], Lines: text[1:], Selected: slot == selected}
		if stacked {
			cards[slot].Lines = []string{strings.Join(text[1:], "; ")}
		}
	}
	if stacked {
		return terminal.Stack(cards, each)
	}
	return terminal.Beside(cards, each)
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

// Says returns the verdict in words.
func (s *Session) Says() string {
	v := s.racing.Verdict()
	name, answers := nameOf(s.card(v.Leader)), terminal.Count(v.Answered, "answer")
	switch {
	case v.Status == strategy.Certified:
		return fmt.Sprintf("%s is your favourite, after %s. That is wrong at most once in %.0f times.",
			name, answers, 1/s.settings.Delta)
	case v.Status != strategy.Asking:
		return fmt.Sprintf("%s leads after %s, and nothing can be certain: %s", name, answers, v.Model.Sentence)
	case v.Answered == 0:
		return "Nothing is known yet."
	}
	possible := "1 other is possible"
	if others := len(v.Contenders) - 1 + v.Others; others != 1 {
		possible = fmt.Sprintf("%d others are possible", others)
	}
	text := fmt.Sprintf("%s leads after %s; %s (%.0f%% of the way)", name, answers, possible, 100*v.Progress)
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
	return fmt.Sprintf("; %.0f to %.0f answers in all, four times of five", float64(answered)+math.Ceil(f.Low),
		float64(answered)+math.Ceil(f.High))
}

// nameOf returns the display name of an arm.
func nameOf(c archive.Card) string { return terminal.Name(c.Label, c.ID) }
