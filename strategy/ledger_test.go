package strategy_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
)

// TestLedger: a question is settled as often as it was asked, a lost one is asked again unless it
// shows a dropped arm, and a copy through JSON knows the same.
func TestLedger(t *testing.T) {
	var l strategy.Ledger
	ab, bc := choice.Question{0, 1}, choice.Question{1, 2}
	if first, again := l.Ask(ab), l.Ask(slices.Clone(ab)); &first[0] != &again[0] {
		t.Error("the same question is stored twice")
	}
	l.Ask(bc)
	text, err := json.Marshal(&l)
	if err != nil {
		t.Fatal(err)
	}
	var copied strategy.Ledger
	if err := json.Unmarshal(text, &copied); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*strategy.Ledger{&l, &copied} {
		for range 2 {
			if err := l.Settle(ab); err != nil {
				t.Errorf("a question that was asked twice is not settled twice: %v", err)
			}
		}
		if err := l.Settle(ab); !errors.Is(err, strategy.ErrNotAsked) {
			t.Errorf("settled a third time: %v", err)
		}
		if err := l.Lose(bc); err != nil || l.AllAnswered() {
			t.Errorf("lost: %v, all answered: %v", err, l.AllAnswered())
		}
		if q, ok := l.AskAgain(); !ok || !slices.Equal(q, bc) {
			t.Errorf("asked again: %v, %v", q, ok)
		}
		if err := l.Lose(bc); err != nil {
			t.Fatal(err)
		}
		l.Drop(2)
		if q, ok := l.AskAgain(); ok || !l.AllAnswered() {
			t.Errorf("a dropped question is asked again: %v", q)
		}
	}
}
