package terminal_test

import (
	"strings"
	"testing"

	"bestpick/internal/terminal"
)

// TestWrap: lines break between words, long words within them, and wide letters take two columns.
func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"1  Orb lamp":      "1  Orb\nlamp",
		"incomprehensible": "incomp\nrehens\nible",
		"ランプ ラ":            "ランプ\nラ",
	} {
		if got := terminal.Wrap(text, 6); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCards: cards of different heights stand beside each other, each in its columns.
func TestCards(t *testing.T) {
	got := terminal.Beside([]terminal.Card{{Title: "A", Selected: true}, {Title: "B", Lines: []string{"two words"}}}, 8)
	want := strings.Join([]string{
		"┏━━━━━━┓╭──────╮",
		"┃ \x1b[1mA\x1b[m    ┃│ \x1b[1mB\x1b[m    │",
		"┗━━━━━━┛│ two  │",
		"        │ word │",
		"        │ s    │",
		"        ╰──────╯",
	}, "\n")
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}
