//go:build long

package racing

import (
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/crowd"
	"bestpick/strategy"
)

// TestLongValidityOfActiveSets: 400 runs at δ = 0.1 on products of three groups, and 400 on 40 arms
// of which only a few are weighed, with small differences of utilities, ε in half of them and a
// look after every answer in a quarter. Wrong verdicts, and runs in which the capital at the truth
// ever reached 1/δ, are at most a tenth of each.
func TestLongValidityOfActiveSets(t *testing.T) {
	const delta, runs, answers = 0.1, 400, 1200
	for name, start := range map[string]func(run uint64, s Settings, rng *rand.Rand) (*Linear, []float64){
		"product": func(_ uint64, s Settings, rng *rand.Rand) (*Linear, []float64) {
			c := Levels(t, 3, 2, 3)
			r := must(newLinear(c, s, defaultLookSizes()))
			return r, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		},
		"many": func(_ uint64, s Settings, rng *rand.Rand) (*Linear, []float64) {
			r := must(newLinear(randomArms(t, rng, 40, 2), s, lookSizes{few: 2, doubtful: 4, random: 1}))
			return r, []float64{rng.NormFloat64(), rng.NormFloat64()}
		},
	} {
		wrong, reached, stopped := 0, 0, 0
		for run := range uint64(runs) {
			rng := rand.New(rand.NewPCG(run, 9))
			s := Settings{K: 2 + int(run%3), Delta: delta, Seed: run}
			if run%2 == 1 {
				s.Epsilon = 0.3
			}
			if run%4 > 2 {
				s.LookEvery = -1
			}
			r, theta := start(run, s, rng)
			respondent := crowd.NewMNL(r.problem.catalogue, theta, rng)
			over := false
			for range answers {
				if !AnswerOne(t, r, respondent, 1) {
					break
				}
				over = over || r.Capital(theta) >= math.Log(1/delta)
			}
			if over {
				reached++
			}
			if v := r.Verdict(); v.Status == strategy.Certified {
				stopped++
				for arm := range r.problem.catalogue.Len() {
					if r.problem.catalogue.Utility(arm, theta) > r.problem.catalogue.Utility(v.Leader, theta)+s.Epsilon+1e-9 {
						wrong++
						break
					}
				}
			}
		}
		t.Logf("%s: %d runs, %d certified, %d wrong, the capital reached 1/δ in %d", name, runs, stopped, wrong, reached)
		if stopped < runs/4 || wrong > runs/10 || reached > runs/10 {
			t.Errorf("%s: %d runs, %d certified, %d wrong, the capital reached 1/δ in %d", name, runs, stopped, wrong, reached)
		}
	}
}
