//go:build long

package live

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestLongContexts: a judge who prefers one arm in one topic and the other in another, on contexts that are
// sorted by topic, does not lead to wrong certificates, where each answer is one bet.
//
// With a probability of at most δ = 0.001 each, at most 5 of 5,000 runs are wrong on average, and more than
// 12 with probability 0.002.
func TestLongContexts(t *testing.T) {
	const runs, delta, budget = 5000, 0.001, 600
	for _, mix := range []struct {
		contexts, first int     // of which the first are of the topic in which arm 0 is chosen
		zero, one       float64 // the shares with which arm 0 is chosen, by topic
	}{
		{80, 30, 0.85, 0.18},    // 43.1% over the mix
		{1000, 400, 0.95, 0.05}, // 41%
	} {
		t.Run(strconv.Itoa(mix.contexts), func(t *testing.T) {
			contexts := &archive.Contexts{Names: make([]string, mix.contexts)}
			wrong, certified := 0, 0
			for seed := range uint64(runs) {
				arms, err := choice.NewNames([]string{"zero", "one"})
				if err != nil {
					t.Fatal(err)
				}
				race, err := racing.New(arms, racing.Settings{
					K: 2, Delta: delta, Epsilon: 0.2, Assume: strategy.Majority, Seed: seed + 1,
				})
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(seed, 99))
				for position := int64(0); position < budget && race.Verdict().Status == strategy.Asking; position++ {
					q, err := race.Ask()
					if err != nil {
						t.Fatal(err)
					}
					zero := mix.one
					if contexts.At(seed+1, position) < mix.first {
						zero = mix.zero
					}
					pick := 0
					if (q[0] == 0) != (rng.Float64() < zero) {
						pick = 1
					}
					if err := race.Tell(choice.Answer{Question: q, Picks: []int{pick}}); err != nil {
						t.Fatal(err)
					}
				}
				if v := race.Verdict(); v.Status == strategy.Certified {
					certified++
					if v.Leader == 0 {
						wrong++
					}
				}
			}
			t.Logf("%d contexts: %d of %d certified, %d wrong", mix.contexts, certified, runs, wrong)
			if wrong > 12 || certified < runs/2 {
				t.Errorf("%d contexts: %d of %d certified, %d wrong", mix.contexts, certified, runs, wrong)
			}
		})
	}
}
