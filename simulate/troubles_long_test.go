//go:build long

package simulate_test

import (
	"fmt"
	"sync"
	"testing"

	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// trouble runs races on n arms against people of a kind: with K arms in a question, of which all are ordered.
func trouble(t *testing.T, kind simulate.Trouble, n, k int, change func(*simulate.Experiment)) simulate.Summary {
	t.Helper()
	return simulate.Summarise(troubleRuns(t, kind, n, k, change))
}

func troubleRuns(t *testing.T, kind simulate.Trouble, n, k int, change func(*simulate.Experiment)) []simulate.Run {
	t.Helper()
	in, people, err := kind.Of(n)
	if err != nil {
		t.Fatal(err)
	}
	settings := racing.Settings{K: k, Delta: 0.1, Epsilon: 0.2, Assume: strategy.Majority}
	return race(t, in, settings, func(e *simulate.Experiment) {
		e.Runs, e.Seed, e.MaxQuestions, e.Picks, e.Crowd = 400, 1, 20_000, k-1, people
		if change != nil {
			change(e)
		}
	})
}

// TestLongProven: at δ = 0.1 what is proven after 50, 200 and 800 answers is true in at least 1 − δ of 400
// runs, and the proven share never grows.
func TestLongProven(t *testing.T) {
	const delta, runs = 0.1, 400
	for _, kind := range []string{"clones", "pace", "minority"} {
		for _, n := range []int{3, 6} {
			for _, budget := range []int{50, 200, 800} {
				var lock sync.Mutex
				last, grown := map[int]float64{}, 0
				all := troubleRuns(t, simulate.Trouble{Kind: kind}, n, 3, func(e *simulate.Experiment) {
					e.Runs, e.MaxQuestions, e.Arrivals = runs, budget, 1
					e.Each = func(r, _ int, s strategy.Strategy) {
						share := s.Verdict().Proven.Share
						lock.Lock()
						defer lock.Unlock()
						if before := last[r]; before > 0 && !(share > 0 && share <= before) {
							grown++
						}
						last[r] = share
					}
				})
				proven, wrong, mean := 0, 0, 0.0
				for _, run := range all {
					if run.Proven.Share > 0 {
						proven++
						mean += run.Proven.Share
					}
					if !run.ProvenHolds {
						wrong++
					}
				}
				name := fmt.Sprintf("%s, N = %d, %d answers", kind, n, budget)
				t.Logf("%s: proven in %d, mean share %.3f, wrong %d of %d", name, proven, mean/float64(max(proven, 1)), wrong, runs)
				if float64(wrong) > delta*runs || grown > 0 {
					t.Errorf("%s: wrong in %d of %d runs, and the share grew %d times", name, wrong, runs, grown)
				}
			}
		}
	}
}
