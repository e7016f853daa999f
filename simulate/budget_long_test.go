//go:build long

package simulate_test

import (
	"testing"

	"bestpick/simulate"
	"bestpick/strategy/racing"
)

// halfBudgets are half of the answers that the instances of TestLongEfficiency need, by their seeds.
func halfBudgets() map[uint64]int { return map[uint64]int{1: 1490, 4: 330, 5: 233} }

// TestLongBudget: with half the budget that certification needs, the stated ε holds in at least 95 of 100
// runs at δ = 0.05, and is smaller than without a goal. The log compares it with races that aim at 1/1.5 of
// the mean from the beginning, which may stop at the first fluctuation of the evidence that is large enough.
func TestLongBudget(t *testing.T) {
	var stated, holds, all int
	var with, without float64
	for seed, budget := range halfBudgets() {
		in := sphereOf(t, 20, 5, 3, seed)
		limit := func(e *simulate.Experiment) { e.Runs, e.MaxQuestions = 34, budget }
		aimless := simulate.Summarise(race(t, in, racing.Settings{}, limit)).CertifiedEpsilon
		s := simulate.Summarise(race(t, in, racing.Settings{LinearOnly: racing.LinearOnly{Budget: budget}}, limit))
		epsilon := s.CertifiedEpsilon
		known := simulate.Summarise(race(t, in, racing.Settings{Epsilon: epsilon.Mean / 1.5}, limit))
		t.Logf("seed %d, %d answers: ε %.3f ± %.3f (from %.3f to %.3f) in %d of %d runs, holds in %d", seed, budget,
			epsilon.Mean, epsilon.SE, epsilon.Min, epsilon.Max, s.Stated, s.Runs, s.Holds)
		t.Logf("without a goal %.3f ± %.3f; a race for %.3f certifies %d", aimless.Mean, aimless.SE, epsilon.Mean/1.5, known.Certified)
		all, stated, holds = all+s.Runs, stated+s.Stated, holds+s.Holds
		with, without = with+epsilon.Mean, without+aimless.Mean
	}
	t.Logf("%d runs, %d state an ε, %d hold; with a goal it is %.2f of that without", all, stated, holds, with/without)
	if stated < all*95/100 || holds*100 < 95*stated || !(with < without) {
		t.Errorf("%d runs, %d state an ε, %d hold; the sum is %.3f with a goal, %.3f without", all, stated, holds, with, without)
	}
}

// TestLongBudgetIsValid: 200 runs at δ = 0.1 on 20 instances that end after 40, 80 and more answers. The
// stated ε is wrong in at most a tenth: a true share of 0.15 would give 30 ± 5 of 200, and one of 0.05 gives
// 10 ± 3.
func TestLongBudgetIsValid(t *testing.T) {
	const delta, runs = 0.1, 10
	var stated, wrong int
	for at := range 20 {
		in := sphereOf(t, 5+at%4, 2+at%3, []float64{1, 3}[at%2], uint64(at+1))
		budget := 40 + 40*(at%5)
		settings := racing.Settings{K: 2 + at%3, Delta: delta, LinearOnly: racing.LinearOnly{Budget: budget}}
		s := simulate.Summarise(race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = runs, uint64(at), budget
		}))
		stated, wrong = stated+s.Stated, wrong+s.Stated-s.Holds
	}
	t.Logf("%d runs state an ε, %d of them wrong", stated, wrong)
	if stated < 180 || wrong > 20 {
		t.Errorf("%d runs state an ε, %d of them wrong", stated, wrong)
	}
}
