//go:build long

package simulate_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy/racing"
)

// recordedPrior summarises the picks of people with a given θ in questions of three random arms.
func recordedPrior(t *testing.T, in simulate.Instance, theta []float64, answers int, seed uint64) *racing.Prior {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	people, tally := crowd.NewMNL(in.Catalogue, theta, rng), choice.NewTally(in.Catalogue.Len())
	for range answers {
		q := choice.Question(rng.Perm(in.Catalogue.Len())[:3])
		if err := tally.Add(choice.Answer{Question: q, Picks: people.Pick(q, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	return must(racing.NewPrior(in.Catalogue, tally))
}

// others returns a θ of the same norm in a direction of its own.
func others(theta []float64, seed uint64) []float64 {
	rng, other := rand.New(rand.NewPCG(seed, 78)), make([]float64, len(theta))
	for k := range other {
		other[k] = rng.NormFloat64()
	}
	floats.Scale(floats.Norm(theta, 2)/floats.Norm(other, 2), other)
	return other
}

// TestLongPrior: on the five efficiency instances, 2,000 recorded picks of the same people save at least
// a fifth of the answers; those of other people, and of people with −θ, cost at most a tenth. The ratios to
// a race without a prior are averaged over the instances, and no run is wrong.
func TestLongPrior(t *testing.T) {
	ratios, sums := map[string]float64{}, map[string]float64{}
	for seed := uint64(1); seed <= 5; seed++ {
		in := sphereOf(t, 20, 5, 3, seed)
		opposite := floats.ScaleTo(make([]float64, 5), -1, in.Theta)
		without := 0.0
		for _, people := range []struct {
			name  string
			theta []float64
		}{{"none", nil}, {"same", in.Theta}, {"other", others(in.Theta, seed)}, {"opposite", opposite}} {
			name, theta := people.name, people.theta
			settings := racing.Settings{}
			if theta != nil {
				settings.Prior = recordedPrior(t, in, theta, 2000, seed)
			}
			s := simulate.Summarise(race(t, in, settings, nil))
			t.Logf("seed %d, %s: %.0f ± %.0f answers, %d of %d right", seed, name, s.Questions.Mean, s.Questions.SE, s.Correct, s.Runs)
			if s.Correct != s.Runs {
				t.Errorf("seed %d, %s: %d of %d right", seed, name, s.Correct, s.Runs)
			}
			if theta == nil {
				without = s.Questions.Mean
			}
			ratios[name] += s.Questions.Mean / without / 5
			sums[name] += s.Questions.Mean
		}
	}
	for name, most := range map[string]float64{"same": 0.8, "other": 1.1, "opposite": 1.1} {
		t.Logf("%s: %.3f times the answers, and %.3f times in all", name, ratios[name], sums[name]/sums["none"])
		if !(ratios[name] <= most) {
			t.Errorf("%s: %.3f times the answers, not %g", name, ratios[name], most)
		}
	}
}
