package racing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// The best of four lamps, from the picks of a simulated respondent.
func ExampleNew() {
	lamps, err := choice.NewCatalogue(
		[]string{"reed", "orb", "dome", "fold"},
		[]string{"bright", "price"},
		[][]float64{{1, 0.5}, {0, 0}, {1, 1}, {0.5, 0.5}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := racing.New(lamps, racing.Settings{K: 3, Delta: 0.05, Epsilon: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	respondent := crowd.NewMNL(lamps, []float64{3, -1}, rand.New(rand.NewPCG(1, 2)))
	for {
		question, err := s.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := s.Tell(choice.Answer{Question: question, Picks: respondent.Pick(question, 1)}); err != nil {
			fmt.Println(err)
			return
		}
	}
	v := s.Verdict()
	fmt.Println(lamps.ID(v.Leader), v.Status, v.Answered < 500)
	// Output: reed certified true
}
