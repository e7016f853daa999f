//go:build long

package simulate_test

import (
	"testing"

	"bestpick/simulate"
	"bestpick/strategy/racing"
)

// TestLongTopIsValid: 200 runs at δ = 0.1 on 20 instances, for two best arms and for rankings, with ε and
// copies. Wrong verdicts are at most a tenth: a true share of 0.15 would give 30 ± 5 of 200, and one of 0.05
// gives 10 ± 3.
func TestLongTopIsValid(t *testing.T) {
	const delta, runs = 0.1, 10
	var wrong, certified, all int
	for at := range 20 {
		in := sphereOf(t, 5+at%3, 2+at%2, 3, uint64(at+1))
		settings := racing.Settings{K: 2 + at%3, Delta: delta, LinearOnly: racing.LinearOnly{Top: 2}}
		if at%2 == 0 {
			settings.Top = racing.TopAll
		}
		if at%5 == 0 {
			in = withCopies(t, in)
		}
		if at%3 == 0 {
			settings.Epsilon = 0.2
		}
		for _, run := range race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = runs, uint64(at), 3000
		}) {
			all++
			if run.Certified {
				certified++
				if !run.Correct {
					wrong++
				}
			}
		}
	}
	t.Logf("%d runs, %d certified, %d wrong", all, certified, wrong)
	if all != 200 || certified < 80 || wrong > 20 {
		t.Errorf("of %d runs, %d certified, %d are wrong", all, certified, wrong)
	}
}

// TestLongTopCosts: on the five efficiency instances, the three best of 20 arms take at most 2.5 times the
// answers of the single best, summed over the instances, and fewer than the ranking of all, which is stopped at 12,000.
func TestLongTopCosts(t *testing.T) {
	var best, top float64
	for seed := range uint64(5) {
		in := sphereOf(t, 20, 5, 3, seed+1)
		mean := func(top int) simulate.Summary {
			return simulate.Summarise(race(t, in, racing.Settings{LinearOnly: racing.LinearOnly{Top: top}}, func(e *simulate.Experiment) {
				e.Runs, e.MaxQuestions = 5, 12_000
			}))
		}
		one, three, all := mean(0), mean(3), mean(racing.TopAll)
		t.Logf("seed %d: %.0f ± %.0f answers for the best", seed+1, one.Questions.Mean, one.Questions.SE)
		t.Logf("%.0f ± %.0f for three (%d of 5 stopped)", three.Questions.Mean, three.Questions.SE, three.Stopped)
		t.Logf("%.0f ± %.0f for all (%d of 5 stopped)", all.Questions.Mean, all.Questions.SE, all.Stopped)
		best, top = best+one.Questions.Mean, top+three.Questions.Mean
		if !(three.Questions.Mean < all.Questions.Mean) || three.Wrong+all.Wrong > 1 {
			t.Errorf("seed %d: %.0f answers for three and %.0f for all, %d and %d wrong", seed+1, three.Questions.Mean,
				all.Questions.Mean, three.Wrong, all.Wrong)
		}
	}
	t.Logf("three take %.2f times the answers of one", top/best)
	if !(top <= 2.5*best) {
		t.Errorf("three take %.2f times the answers of one", top/best)
	}
}
