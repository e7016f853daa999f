package baseline_test

import (
	"fmt"

	"bestpick/choice"
	"bestpick/strategy/baseline"
)

// The first question of BAI-Lin-MNL without random ones at the start: the pair of arms that shrinks
// the widest difference most.
func ExampleNew() {
	arms, err := choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {-1, 0}, {0, 0.1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := baseline.New("static", arms, baseline.Settings{K: 2, Explore: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	question, err := s.Ask()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arm := range question {
		fmt.Print(arms.ID(arm), " ")
	}
	// Output: a c
}
