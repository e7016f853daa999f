package prospects_test

import (
	"fmt"

	"bestpick/choice"
	"bestpick/strategy/prospects"
	"bestpick/strategy/racing"
)

// A ranking of the best two of three lamps needs fewer answers than one pick.
func ExampleProspects_Expect() {
	lamps, err := choice.NewNames([]string{"reed", "orb", "dome", "fold"})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := prospects.New(lamps)
	one := p.Expect(prospects.Questionnaire{Settings: racing.Settings{K: 3, Epsilon: 0.2}, Picks: 1})
	two := p.Expect(prospects.Questionnaire{Settings: racing.Settings{K: 3, Epsilon: 0.2}, Picks: 2})
	fmt.Println(two.Median < one.Median)
	// Output: true
}
