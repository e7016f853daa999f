package strategy_test

import (
	"errors"
	"fmt"
	"log"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Ask until the strategy stops. Here every respondent prefers the lamp that comes first.
func Example() {
	lamps, err := choice.NewNames([]string{"orb", "dome", "reed"})
	if err != nil {
		log.Fatal(err)
	}
	s, err := racing.New(lamps, racing.Settings{K: 2})
	if err != nil {
		log.Fatal(err)
	}
	for {
		question, err := s.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		slot := 0 // show the arms of the question to a respondent, who picks one
		if question[1] < question[0] {
			slot = 1
		}
		if err := s.Tell(choice.Answer{Question: question, Picks: []int{slot}}); err != nil {
			log.Fatal(err)
		}
	}
	verdict := s.Verdict()
	fmt.Println(verdict.Status, lamps.ID(verdict.Leader), "after", verdict.Answered, "answers")
	// Output: certified orb after 21 answers
}
