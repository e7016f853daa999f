package simulate_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy/baseline"
)

// BenchmarkStep is one whole step of a strategy on the paper's instance (d = 7,
// K = 3): ask, a Gaussian respondent, tell, estimate, check the stopping condition.
// It starts after 20,000 answers and δ is so small that it does not stop.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"random", "static", "adaptive"} {
		b.Run(name, func(b *testing.B) {
			instance := must(simulate.Soare(7, 0.01, 0))
			s := must(baseline.New(name, instance.Catalogue, baseline.Settings{Delta: 1e-300, Kappa: 1e-3}))
			respondent := crowd.NewRandomUtility(instance.Catalogue, instance.Theta, crowd.Gaussian(1), rand.New(rand.NewPCG(1, 2)))
			step := func() {
				q := must(s.Ask())
				if err := s.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
					b.Fatal(err)
				}
			}
			for range 20_000 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
