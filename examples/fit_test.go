package examples_test

import (
	"fmt"
	"log"
	"math"

	"bestpick/choice"
)

// Example_fit estimates what people value from answers in memory.
func Example_fit() {
	lamps, err := choice.NewCatalogue(
		[]string{"orb", "dome", "reed"},
		[]string{"price", "dimmable"},
		[][]float64{{4.9, 0}, {5.9, 1}, {3.9, 0}},
	)
	if err != nil {
		log.Fatal(err)
	}
	tally := choice.NewTally(lamps.Len())
	for _, answer := range []struct {
		shown []int
		pick  int // the slot
		times int
	}{
		{[]int{0, 1}, 0, 40},
		{[]int{0, 1}, 1, 60},
		{[]int{0, 2}, 0, 40},
		{[]int{0, 2}, 1, 60},
		{[]int{1, 2}, 0, 50},
		{[]int{1, 2}, 1, 50},
	} {
		for range answer.times {
			if err := tally.Add(choice.Answer{Question: answer.shown, Picks: []int{answer.pick}}); err != nil {
				log.Fatal(err)
			}
		}
	}
	var estimator choice.Estimator
	estimate, err := estimator.Estimate(choice.NewLinear(lamps, tally))
	if err != nil {
		log.Fatal(err)
	}
	for i, name := range estimate.Names {
		fmt.Printf("%s %.2f ± %.2f\n", name, estimate.Theta[i], math.Sqrt(estimate.Covariance.At(i, i)))
	}
	// Output:
	// price -0.41 ± 0.17
	// dimmable 0.81 ± 0.29
}
