package examples_test

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Example_loop finds the favourite of people whose choices the program itself supplies.
func Example_loop() {
	lamps, err := choice.NewCatalogue(
		[]string{"orb", "dome", "reed", "arc"},
		[]string{"price", "height"},
		[][]float64{{4.9, 1.2}, {5.9, 0.8}, {3.9, 1.5}, {4.4, 2.0}},
	)
	if err != nil {
		log.Fatal(err)
	}
	race, err := racing.New(lamps, racing.Settings{K: 2, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	people := crowd.NewMNL(lamps, []float64{-1, 2}, rand.New(rand.NewPCG(1, 2))) // they prefer cheap, tall lamps
	for {
		question, err := race.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := race.Tell(choice.Answer{Question: question, Picks: people.Pick(question, 1)}); err != nil {
			log.Fatal(err)
		}
	}
	verdict := race.Verdict()
	fmt.Println(verdict.Status, lamps.ID(verdict.Leader), "after", verdict.Answered, "answers")
	// Output: certified arc after 258 answers
}
