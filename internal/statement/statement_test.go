package statement_test

import (
	"testing"

	"bestpick/internal/statement"
	"bestpick/strategy"
)

// TestClaim: a claim says what is certified or proven, and what it assumes.
func TestClaim(t *testing.T) {
	certified := statement.Facts{Status: "certified", Leader: "Oslo", Delta: 0.05, Epsilon: 0.2, Assumption: strategy.Majority, Fakes: 2, People: 64}
	linear, open := certified, certified
	linear.Assumption = strategy.Linear
	open.Status = "asking"
	proven := open
	proven.Proven, proven.Share = "Oslo", 0.61
	const wins = "Oslo wins. Put next to any single other option, at least 45 of 100 people choose Oslo (95% sure)."
	for want, facts := range map[string]statement.Facts{
		wins + " This holds even if up to 2 of the 64 people were fake.":                                  certified,
		wins + " This assumes that all people weigh the attributes alike, and that nothing else matters.": linear,
		"95% sure that no other option would be chosen over Oslo by more than 61 of 100 people. " +
			"This holds even if up to 2 of the 64 people were fake.": proven,
		"": open,
	} {
		if got := statement.Claim(facts); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPeople: the number of people is the tolerance in points, rounded up.
func TestPeople(t *testing.T) {
	for epsilon, want := range map[float64]int{0: 50, 1e-9: 50, 0.01: 51, 0.1: 53, 0.2: 55, 0.4: 60, 0.84: 70, 0.85: 71, 50: 100} {
		if got := statement.People(epsilon); got != want {
			t.Errorf("ε = %v is %d in 100, want %d", epsilon, got, want)
		}
	}
}
