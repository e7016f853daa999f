package bestpick_test

import (
	"fmt"
	"log"

	"bestpick"
)

// Find the favourite of people who like short names.
func Example() {
	race, err := bestpick.New([]string{"lamp", "chandelier", "spot", "tube"})
	if err != nil {
		log.Fatal(err)
	}
	for !race.Result().Done {
		question, err := race.Ask()
		if err != nil {
			log.Fatal(err)
		}
		pick := question.Options[0] // ask a person instead
		for _, option := range question.Options {
			if len(option) < len(pick) || len(option) == len(pick) && option < pick {
				pick = option
			}
		}
		if err := race.Tell(question, pick); err != nil {
			log.Fatal(err)
		}
	}
	result := race.Result()
	fmt.Println(result.Best, result.Certified, "after", result.Answers, "answers")
	// Output: lamp true after 14 answers
}
