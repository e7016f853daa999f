package study

import (
	"bytes"
	"testing"
	"time"
)

// TestSet: a setting that is set to its text is unchanged, invalid texts change nothing, and the texts of
// forms are read.
func TestSet(t *testing.T) {
	deadline := time.Date(2100, 1, 31, 18, 30, 15, 0, time.UTC)
	for _, c := range []struct {
		name, text string
		ok         bool
		then       string // its text afterwards
	}{
		{"k", "4", true, "4"},
		{"k", "", false, "3"},
		{"k", "4.5", false, "3"},
		{"top", "1", true, "1"},
		{"top", "0", false, "1"},
		{"top", "-1", true, "-1"},
		{"each", "", true, ""},
		{"each", "0", false, "7"},
		{"budget", "100", true, "100"},
		{"delta", "0.01", true, "0.01"},
		{"delta", "small", false, "0.05"},
		{"ties", "true", true, "true"},
		{"ties", "maybe", false, "false"},
		{"assume", "majority", true, "majority"},
		{"assume", "", false, "linear"},
		{"deadline", "", true, ""},
		{"deadline", "2100-01-31T18:30", true, "2100-01-31T18:30"},
		{"deadline", "tomorrow", false, "2100-01-31T18:30"},
		{"seed", "1", false, ""}, // not in forms
		{"unknown", "1", false, ""},
	} {
		s := Settings{PerRespondent: 7, Deadline: deadline}.WithDefaults()
		s.Strategy.Assume = "linear"
		if ok := s.Set(c.name, c.text); ok != c.ok || s.Text(c.name) != c.then {
			t.Errorf("%s %q: %v, %q", c.name, c.text, ok, s.Text(c.name))
		}
		if c.then == "2100-01-31T18:30" && !s.Deadline.Equal(deadline) {
			t.Errorf("the deadline loses its seconds: %v", s.Deadline)
		}
	}
}

// TestKeys: a purpose has one key; other purposes and other secrets have other keys.
func TestKeys(t *testing.T) {
	one, other := []byte("one secret of the store"), []byte("another secret of a store")
	key := Key(one, "a")
	if len(key) != 32 || !bytes.Equal(key, Key(one, "a")) {
		t.Errorf("%x", key)
	}
	for _, different := range [][]byte{Key(one, "b"), Key(other, "a"), one} {
		if bytes.Equal(key, different) {
			t.Errorf("%x twice", key)
		}
	}
}
