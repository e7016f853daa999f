package bestpick_test

import (
	"cmp"
	"fmt"
	"log"
	"slices"

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
		slices.SortFunc(question.Options, func(a, b string) int { // ask a person instead
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
		if err := race.Tell(question, question.Options[:question.Picks]...); err != nil {
			log.Fatal(err)
		}
	}
	result := race.Result()
	fmt.Println(result.Best, result.Certified, "after", result.Answers, "answers")
	// Output: lamp true after 15 answers
}
