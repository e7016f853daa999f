package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Ten runs of the certified strategy on random arms.
func ExampleExperiment() {
	instance, err := simulate.Sphere(10, 3, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	runs, err := simulate.Experiment{
		Instance: instance, Runs: 10, Seed: 1, Epsilon: 0.2,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(instance.Catalogue, racing.Settings{Epsilon: 0.2, Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(instance.Catalogue, instance.Theta, rng) },
	}.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	s := simulate.Summarise(runs)
	fmt.Printf("%d certified, %d wrong\n", s.Certified, s.Wrong)
	// Output: 10 certified, 0 wrong
}
