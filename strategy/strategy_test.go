package strategy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
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

// TestProgress: a tenth is for the first answers, and the rest for the evidence, on average and against the most doubtful
// rival.
func TestProgress(t *testing.T) {
	at := func(evidence ...float64) (list []strategy.Standing) {
		for _, e := range evidence {
			list = append(list, strategy.Standing{Evidence: e})
		}
		return list
	}
	for _, c := range []struct {
		eliminated, unlisted, answered int
		standings                      []strategy.Standing
		want                           float64
	}{
		{standings: at(0, 0, 0, 0), want: 0},
		{standings: at(0, 0, 0, -5), answered: 4, want: 0.05},
		{standings: at(1, 3), eliminated: 2, answered: 4, want: 0.05 + 0.45*(2+0.25+0.75)/4 + 0.45*0.25},
		{standings: at(3), unlisted: 1, eliminated: 2, answered: 4, want: 0.05 + 0.45*(2+0.75)/4},
		{standings: at(9, 9, 9, 9), answered: 12, want: 0.075 + 0.9},
	} {
		e := strategy.Elimination{Eliminated: c.eliminated, Rivals: len(c.standings) + c.unlisted}
		approx.Equal(t, fmt.Sprintf("%+v", c), strategy.NewProgress(e, c.standings, 4, c.answered), c.want, 1e-12)
	}
}

// TestElimination: withdrawn arms do not count.
func TestElimination(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"a", "b", "c", "d", "e", "f"}, []string{"x"}, [][]float64{{1}, {2}, {3}, {4}, {5}, {6}})
	if err != nil {
		t.Fatal(err)
	}
	for rivals, eliminated := range []int{4, 3, 2, 1, 0} {
		if e := strategy.NewElimination(c, 1, rivals); e.Rivals != rivals || e.Eliminated != eliminated {
			t.Errorf("%d rivals: %+v", rivals, e)
		}
	}
}

// TestEliminationInProduct: the profiles that differ from the leader in one group count, not all.
func TestEliminationInProduct(t *testing.T) {
	group := func(name string) choice.Group {
		return choice.Group{Options: []string{"0", "1", "2"}, Features: []string{name}, Rows: [][]float64{{0}, {1}, {2}}}
	}
	c, err := choice.NewProduct([]choice.Group{group("x"), group("y"), group("z")})
	if err != nil {
		t.Fatal(err)
	}
	if e := strategy.NewElimination(c, 0, 2); e.Eliminated != 4 || e.Rivals != 2 {
		t.Errorf("%+v of %d profiles", e, c.Len())
	}
}

// TestUnseal: a sealed state is read back, and refused under another name, with another version or
// after a change.
func TestUnseal(t *testing.T) {
	type state struct{ Answers int }
	sealed, err := strategy.Seal("mine", 2, state{17})
	if err != nil {
		t.Fatal(err)
	}
	if parts := strategy.SealEncoded("mine", 2, []byte(`{"Answers":`), []byte("17}")); !bytes.Equal(parts, sealed) {
		t.Errorf("%s, and in parts %s", sealed, parts)
	}
	var read state
	if err := strategy.Unseal(sealed, "mine", 2, &read); err != nil || read.Answers != 17 {
		t.Fatalf("%+v, %v", read, err)
	}
	for name, unseal := range map[string]func() error{
		"another name":    func() error { return strategy.Unseal(sealed, "yours", 2, &read) },
		"another version": func() error { return strategy.Unseal(sealed, "mine", 3, &read) },
		"another state": func() error {
			return strategy.Unseal(bytes.Replace(sealed, []byte("17"), []byte("18"), 1), "mine", 2, &read)
		},
		"half of it":   func() error { return strategy.Unseal(sealed[:len(sealed)/2], "mine", 2, &read) },
		"another type": func() error { return strategy.Unseal(sealed, "mine", 2, new([]int)) },
	} {
		if err := unseal(); !errors.Is(err, strategy.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
