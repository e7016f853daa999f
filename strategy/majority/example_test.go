package majority_test

import (
	"errors"
	"fmt"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// The favourite of people who choose the lamp "orb" in three of four answers that show it.
func ExampleNew() {
	lamps, err := choice.NewNames([]string{"reed", "orb", "dome"})
	if err != nil {
		fmt.Println(err)
		return
	}
	race, err := majority.New(lamps, majority.Settings{K: 2, Epsilon: 0.2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := 0; ; n++ {
		question, err := race.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		pick := n % 2
		for slot, arm := range question {
			if lamps.ID(arm) == "orb" && n%4 > 0 {
				pick = slot
			}
		}
		if err := race.Tell(choice.Answer{Question: question, Picks: []int{pick}}); err != nil {
			fmt.Println(err)
			return
		}
	}
	v := race.Verdict()
	fmt.Println(v.Status, lamps.ID(v.Leader))
	// Output: certified orb
}
