package statement_test

import (
	"testing"

	"bestpick/internal/statement"
	"bestpick/strategy"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		assumption strategy.Assumption
		epsilon    float64
		want       string
	}{
		{strategy.Majority, 0.2, "At most 55 in 100 people would choose another option over Oslo."},
		{strategy.Majority, 0, "At most 50 in 100 people would choose another option over Oslo."},
		{strategy.Linear, 0, "If one model describes all people, Oslo is the best option."},
		{"", 0.2, "If one model describes all people, no option is better than Oslo by more than 0.2 in utility."},
	} {
		if got := statement.Of(c.assumption, "Oslo", c.epsilon); got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.assumption, c.epsilon, got, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	const want = "If one model describes all people, at most 56 in 100 would choose another option over Oslo."
	if got := statement.Within("Oslo", 0.24); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPeople: the number of people is the tolerance in points, rounded up unless the rest is negligible.
func TestPeople(t *testing.T) {
	for epsilon, want := range map[float64]int{0: 50, 1e-9: 50, 0.01: 51, 0.1: 53, 0.2: 55, 0.4: 60, 0.85: 70, 50: 100} {
		if got := statement.People(epsilon); got != want {
			t.Errorf("ε = %v is %d in 100, want %d", epsilon, got, want)
		}
	}
}

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
