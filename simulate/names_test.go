package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// twelveNames are twelve arms without features, the best of which is better than the next by 1.5 or
// more.
func twelveNames(t *testing.T) simulate.Instance {
	t.Helper()
	var ids []string
	theta := make([]float64, 11)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 12 {
		ids = append(ids, fmt.Sprint("model ", i))
	}
	for i := range theta {
		theta[i] = rng.Float64() - rng.Float64()
	}
	theta[6] = 2.5
	names := must(choice.NewNames(ids))
	return simulate.Instance{Catalogue: names, Theta: theta}
}

// namesOnly returns how many of some studies of twelve arms without features, in pairs, certify the
// best.
func namesOnly(t *testing.T, runs int) (right int) {
	t.Helper()
	instance := twelveNames(t)
	e := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(instance.Catalogue, racing.Settings{K: 2, Delta: 0.05, Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(instance.Catalogue, instance.Theta, rng) },
		Runs:  runs, Seed: 1,
	}
	all := must(e.Run(t.Context()))
	for _, run := range all {
		if run.Certified && run.Correct && instance.Catalogue.ID(run.Leader) == "model 7" {
			right++
		}
	}
	return right
}

// TestNamesOnly: arms without features are certified, too. TestLongNamesOnly has enough runs to tell
// how often that is wrong.
func TestNamesOnly(t *testing.T) {
	if right := namesOnly(t, 3); right < 2 {
		t.Errorf("%d of 3 studies certify the best", right)
	}
}
