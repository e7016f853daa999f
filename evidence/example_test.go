package evidence_test

import (
	"fmt"
	"math"

	"bestpick/choice"
	"bestpick/evidence"
)

// Evidence that the first of two arms is better, after 40 picks of it and 10 of the other. At log
// 20 the hypothesis that the other one is better is refuted, whenever that happens.
func ExampleAnytime() {
	arms, err := choice.NewCatalogue([]string{"a", "b"}, []string{"x"}, [][]float64{{1}, {0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	white, err := choice.Whiten(arms)
	if err != nil {
		fmt.Println(err)
		return
	}
	tally := choice.NewTally(arms.Len())
	linear := choice.NewLinear(white, tally)
	a := evidence.NewAnytime(white, tally, 1)
	a.Start(1)
	belief := evidence.NewBelief(white.Dim())
	both := choice.Question{0, 1}
	for answer := range 50 {
		pick := 0
		if answer%5 == 4 {
			pick = 1
		}
		a.Predict(math.Log(belief.Predict(white, both)[pick])) // before the pick is counted
		if err := tally.Add(choice.Answer{Question: both, Picks: []int{pick}}); err != nil {
			fmt.Println(err)
			return
		}
		belief.Fit(linear)
	}
	look, settled := a.Look(belief.Fitted)
	if !settled {
		fmt.Println("the search did not converge")
		return
	}
	lead := []float64{white.Arm(0)[0] - white.Arm(1)[0]}
	against := look.Infimum(lead, 0)
	fmt.Printf("log evidence %.1f, refuted at %.1f: %v\n", against, math.Log(20), against >= math.Log(20))
	// Output: log evidence 7.7, refuted at 3.0: true
}
