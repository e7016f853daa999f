package terminal_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"bestpick/internal/terminal"
	"bestpick/internal/testsupport"
)

// TestVisible: texts stay on one line and cannot control the terminal.
func TestVisible(t *testing.T) {
	for text, want := range map[string][2]string{
		"Zoë’s lamp":   {"Zoë’s lamp", "Zoë’s lamp"},
		"a\nb":         {`a\nb`, `"a\nb"`},
		"\x1b[31mred":  {`\x1b[31mred`, `"\x1b[31mred"`},
		"line\u2028up": {`line\u2028up`, `"line\u2028up"`},
	} {
		if got := [2]string{terminal.Visible(text), terminal.Quoted(text)}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 answers", 1: "1 answer", 2: "2 answers"} {
		if got := terminal.Count(n, "answer"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBar: shares beyond 0 and 1 are drawn as these.
func TestBar(t *testing.T) {
	for share, want := range map[float64]int{-1: 0, 0: 0, 0.5: 10, 1: 20, 7: 20} {
		if got := strings.Count(terminal.Bar(share, "x"), "█"); got != want {
			t.Errorf("%v: %d, want %d", share, got, want)
		}
	}
}

// TestScreenWithoutTerminal: keys are lines, and the screen shows lines.
func TestScreenWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	screen := testsupport.Value(terminal.NewScreen(strings.NewReader(" Q \n2\nu"), &out)).OrFail(t)
	page := func(int) string { t.Error("a page is drawn"); return "" }
	if err := screen.Show(page, func() string { return "line\n" }); err != nil || out.String() != "line\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	for _, want := range []string{"q", "2", "u"} {
		if key, err := screen.Key(); key != want || err != nil {
			t.Errorf("%q, %v, want %q", key, err, want)
		}
	}
	if _, err := screen.Key(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := screen.Close(); err != nil || out.String() != "line\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

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
