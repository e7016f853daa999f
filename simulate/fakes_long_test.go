//go:build long

package simulate_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestLongFakes: races that withstand 2, 5 and 10 fakes are deceived by as many, with each of the five attacks, in at
// most δ of 400 studies.
func TestLongFakes(t *testing.T) {
	const runs = 400
	for _, fakes := range []int{2, 5, 10} {
		for _, a := range attacks() {
			wrong, without := attacked(t, a, fakes, fakes, runs), attacked(t, a, fakes, 0, runs/10)
			t.Logf("%d fakes, %s: %d of %d studies are wrong, %d of %d that withstand none", fakes, a.name, wrong, runs, without, runs/10)
			if float64(wrong) > attackDelta*runs {
				t.Errorf("%d fakes, %s: %d of %d studies are wrong", fakes, a.name, wrong, runs)
			}
		}
	}
}

// TestLongFakesPrice: what a race that withstands two fakes costs, on the instances of TestLongMajorityPrice. Fewer
// people each have a larger part in the evidence, so that two of them cost more where everyone answers 20 questions.
func TestLongFakesPrice(t *testing.T) {
	for _, c := range []struct{ each, most float64 }{{1, 1.25}, {20, 1.35}} {
		answers := map[int]float64{}
		for seed := range uint64(5) {
			with, population := simulate.Population{}.Of(sphereOf(t, 20, 5, 3, seed+1))
			for _, fakes := range []int{0, 2} {
				settings := racing.Settings{Epsilon: 0.2, Assume: strategy.Majority, Fakes: fakes}
				s := simulate.Summarise(race(t, with, settings, func(e *simulate.Experiment) {
					e.Runs, e.MaxQuestions, e.Picks = 100, 20_000, 2
					e.Crowd = func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, int(c.each), rng) }
				}))
				t.Logf("seed %d, %g each, %d fakes: %.0f ± %.0f answers, %.0f people, %d wrong", seed+1, c.each, fakes,
					s.Questions.Mean, s.Questions.SE, s.People.Mean, s.MajorityWrong)
				answers[fakes] += s.Questions.Mean / 5
			}
		}
		price := answers[2] / answers[0]
		t.Logf("%g each: %.0f answers, with two fakes %.2f times as many", c.each, answers[0], price)
		if !(price <= c.most) {
			t.Errorf("%g each: two fakes cost %.2f times the answers", c.each, price)
		}
	}
}
