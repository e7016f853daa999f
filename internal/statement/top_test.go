package statement_test

import (
	"testing"

	"bestpick/internal/statement"
)

func TestTop(t *testing.T) {
	names := []string{"Oslo", "Rome"}
	for _, c := range []struct {
		ranking bool
		epsilon float64
		want    string
	}{
		{false, 0, "If one model describes all people, the 2 best options are, in any order, Oslo, Rome."},
		{false, 0.2, "If one model describes all people, no other option is better by more than 0.2 in utility than any of Oslo, Rome."},
		{true, 0, "If one model describes all people, the ranking of the options is Oslo, Rome."},
		{true, 0.2, "If one model describes all people, no option is better than one before it by more than 0.2 in utility: Oslo, Rome."},
	} {
		if got := statement.Top(names, c.ranking, c.epsilon); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
