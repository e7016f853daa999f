package racing

import (
	"math/rand/v2"
	"testing"

	"bestpick/crowd"
	"bestpick/simulate"
)

// TestEpsilonIsTheSmallest: with the stated ε as its tolerance, a race would be certified by the same
// answers, and with 1% less it would not.
func TestEpsilonIsTheSmallest(t *testing.T) {
	in := must(simulate.Sphere(8, 3, 3, 3))
	for seed := range uint64(3) {
		r := must(newLinear(in.Catalogue, Settings{Seed: seed, LookEvery: -1}, defaultLookSizes()))
		respondent := crowd.NewMNL(in.Catalogue, in.Theta, rand.New(rand.NewPCG(seed, 2)))
		AnswerUntil(t, r, respondent, 150)
		epsilon, ok := r.CertifiedEpsilon()
		if !ok {
			t.Fatal("no ε")
		}
		data := must(r.Snapshot())
		for factor, want := range map[float64]bool{1.01: true, 0.99: false} {
			again := must(restoreLinear(in.Catalogue, data, defaultLookSizes()))
			again.problem.epsilon, again.problem.settings.Epsilon = factor*epsilon, factor*epsilon
			again.look()
			if again.state.Decided != want {
				t.Errorf("seed %d: %v times ε = %v decides: %v", seed, factor, epsilon, again.state.Decided)
			}
		}
	}
}
