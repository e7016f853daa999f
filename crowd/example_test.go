package crowd_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/crowd"
)

// Simulate a person who likes cheap lamps.
func Example() {
	lamps, err := choice.NewCatalogue([]string{"orb", "dome"}, []string{"price"}, [][]float64{{4.9}, {5.9}})
	if err != nil {
		log.Fatal(err)
	}
	person := crowd.NewMNL(lamps, []float64{-1}, rand.New(rand.NewPCG(1, 2)))
	orb := 0
	for range 1000 {
		answer := crowd.Answer(person, choice.Question{0, 1}, 1)
		if answer.Picks[0] == 0 {
			orb++
		}
	}
	fmt.Printf("orb is picked in %.0f%% of the answers\n", float64(orb)/10)
	// Output: orb is picked in 73% of the answers
}
