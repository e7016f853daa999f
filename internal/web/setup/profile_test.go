package setup

import (
	"slices"
	"testing"
)

// FuzzChoices: choices survive being written and read again.
func FuzzChoices(f *testing.F) {
	for _, seed := range []string{"", "a\nb; 5", "a;5;7\r\n;3", "a; -1", "a;+2", " ; ;1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		choices := readChoices(text)
		if again := readChoices(choiceLines(choices)); !slices.Equal(choices, again) {
			t.Errorf("%q is %+v, and then %+v", text, choices, again)
		}
	})
}
