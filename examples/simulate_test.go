package examples_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Example_simulate measures how many questions a strategy needs, and how often it errs.
func Example_simulate() {
	instance, err := simulate.Sphere(10, 3, 3, 1) // 10 arms with 3 features
	if err != nil {
		log.Fatal(err)
	}
	runs, err := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(instance.Catalogue, racing.Settings{Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent {
			return crowd.NewMNL(instance.Catalogue, instance.Theta, rng)
		},
		Runs: 20,
	}.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	summary := simulate.Summarise(runs)
	fmt.Println(summary.Certified, "of", summary.Runs, "runs certified,", summary.Wrong, "wrongly")
	// Output: 20 of 20 runs certified, 0 wrongly
}
