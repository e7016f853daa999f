package wire_test

import (
	"encoding/json"
	"fmt"
	"log"

	"bestpick/wire"
)

// The body of a request for a question, and the reply to it.
func Example() {
	body, err := json.Marshal(wire.Ask{Respondent: "anna"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body))
	var question wire.Question
	if err := json.Unmarshal([]byte(`{"token": "t1", "arms": [{"id": "orb"}, {"id": "reed"}]}`), &question); err != nil {
		log.Fatal(err)
	}
	fmt.Println(question.Arms[0].ID, "or", question.Arms[1].ID)
	// Output:
	// {"respondent":"anna"}
	// orb or reed
}
