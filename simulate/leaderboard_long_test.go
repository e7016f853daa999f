//go:build long

package simulate_test

import (
	"sync"
	"testing"

	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestLongLeaderboardCovers: 200 runs at δ = 0.1 on 20 instances, looked at every 50 answers and at the
// end. The runs in which any interval or any range of ranks is ever wrong are at most a tenth. A true
// share of 0.15 would give 30 ± 5 of 200, and one of 0.05 gives 10 ± 3: at most 20 tells them apart.
func TestLongLeaderboardCovers(t *testing.T) {
	const delta, runs = 0.1, 10
	var wrong, ranked, all int
	for at := range 20 {
		in := sphereOf(t, 5+at%4, 2+at%3, []float64{1, 3}[at%2], uint64(at+1))
		if at%5 == 0 {
			in = withCopies(t, in)
		}
		settings := racing.Settings{K: 2 + at%3, Delta: delta}
		if at%3 == 0 {
			settings.Epsilon = 0.2
		}
		var mutex sync.Mutex
		failed := map[int]bool{}
		for _, run := range race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = runs, uint64(at), 1000
			e.Leaderboards = runs
			e.Each = func(run, question int, s strategy.Strategy) {
				r, ok := s.(*racing.Linear)
				if !ok || question%50 != 0 {
					return
				}
				if ranks := r.Leaderboard(); !in.Covers(ranks, r.Verdict().Leader) {
					mutex.Lock()
					failed[run] = true
					mutex.Unlock()
				}
			}
		}) {
			if all++; run.Leaderboard != nil {
				ranked++
			}
			if !run.Covered || failed[run.Number] {
				wrong++
			}
		}
	}
	t.Logf("%d runs, %d with a leaderboard, %d with a wrong statement", all, ranked, wrong)
	if all != 200 || ranked != all || wrong > 20 {
		t.Errorf("of %d runs, %d with a leaderboard, %d have a wrong statement", all, ranked, wrong)
	}
}
