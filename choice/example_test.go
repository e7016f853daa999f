package choice_test

import (
	"fmt"

	"bestpick/choice"
)

// Sixty answers to questions of three lamps, and the part-worths that explain them best.
func ExampleEstimator() {
	lamps, err := choice.NewCatalogue(
		[]string{"reed", "orb", "dome"},
		[]string{"bright", "price"},
		[][]float64{{1, 0.5}, {0, 0}, {1, 1}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	tally := choice.NewTally(lamps.Len())
	for slot, picks := range []int{30, 20, 10} {
		for range picks {
			if err := tally.Add(choice.Answer{Question: choice.Question{0, 1, 2}, Picks: []int{slot}}); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	var estimator choice.Estimator
	estimate, err := estimator.Estimate(choice.NewLinear(lamps, tally))
	if err != nil {
		fmt.Println(err)
		return
	}
	errors := choice.StandardErrors(estimate.Covariance)
	for k, name := range estimate.Names {
		fmt.Printf("%-6s %5.2f ± %.2f\n", name, estimate.Theta[k], errors[k])
	}
	// Output:
	// bright  1.50 ± 0.53
	// price  -2.20 ± 0.73
}
