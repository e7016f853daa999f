package checks_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
)

// TestViolations: each check notices what it is for, where that is strong, and says so; and
// nothing is noticed where the model holds. The long tests have the strengths that matter.
func TestViolations(t *testing.T) {
	in := must(simulate.Sphere(6, 2, 2, 9))
	watch := func(people func(*rand.Rand) crowd.Respondent, answers int) checks.Finding {
		rng := rand.New(rand.NewPCG(2, 99))
		respondent := people(rng)
		study := must(checks.NewStudy(in.Catalogue))
		for range answers {
			q := choice.Question(rng.Perm(6)[:4])
			if err := study.Tell(crowd.Answer(respondent, q, 1)); err != nil {
				t.Fatal(err)
			}
		}
		return study.Look()
	}
	for _, c := range []struct {
		violation simulate.Violation
		says      string
	}{
		{simulate.Violation{Check: checks.Position, Strength: 1}, "place 1 most of all"},
		{simulate.Violation{Check: checks.Appeal, Strength: 2}, "more often than its features say"},
		{simulate.Violation{Check: checks.Context, Strength: 2}, "is picked more often when"},
		{simulate.Violation{Check: checks.Clicks, Strength: 0.4}, "of the picks look random"},
		{simulate.Violation{Check: checks.Drift, Strength: 90, At: 400}, "has changed over time"},
		{simulate.Violation{Check: checks.People, Strength: 120}, "people differ"},
	} {
		_, people := c.violation.Of(in)
		f := watch(people, 1000)
		if f.Status != checks.Refuted || f.Check != c.violation.Check || !strings.Contains(f.Sentence, c.says) || f.Remedy == "" {
			t.Errorf("%v: %v by %v, %q", c.violation.Check, f.Status, f.Check, f.Sentence)
		}
	}
	mnl := func(rng *rand.Rand) crowd.Respondent {
		respondent := crowd.NewMNL(in.Catalogue, in.Theta, rng)
		return &crowd.People{Each: 10, Join: func(int, int) crowd.Respondent { return respondent }}
	}
	if f := watch(mnl, 1000); f.Status != checks.Fits || f.Sentence+f.Remedy != "" {
		t.Errorf("nothing is wrong: %+v", f)
	}
	// Which arm gains beside which one is said in the right order: the second best gains beside
	// the arm most like it.
	_, people := simulate.Violation{Check: checks.Context, Strength: 2}.Of(in)
	f := watch(people, 1000)
	var target, decoy string
	if _, err := fmt.Sscanf(f.Sentence, "%s is picked more often when %s is shown", &target, &decoy); err != nil {
		t.Fatalf("%q: %v", f.Sentence, err)
	}
	arm, known := in.Catalogue.Index(target)
	beside, too := in.Catalogue.Index(decoy)
	if !known || !too {
		t.Fatalf("%q", f.Sentence)
	}
	best, _ := in.Best()
	for other := range 6 {
		if other == best || other == arm {
			continue
		}
		if in.Catalogue.Utility(other, in.Theta) > in.Catalogue.Utility(arm, in.Theta) ||
			floats.Distance(in.Catalogue.Arm(other), in.Catalogue.Arm(arm), 2) <
				floats.Distance(in.Catalogue.Arm(beside), in.Catalogue.Arm(arm), 2) {
			t.Errorf("%q, but %s", f.Sentence, in.Catalogue.ID(other))
		}
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
