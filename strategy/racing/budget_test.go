package racing_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy/racing"
)

// TestBudget: a budget that suffices changes no question, and a small one does.
func TestBudget(t *testing.T) {
	const answers = 300
	c := catalogue(t, randomRows(rand.New(rand.NewPCG(1, 9)), 12)...)
	asked := func(s racing.Settings) (questions []choice.Question) {
		respondent := crowd.NewMNL(c, []float64{0.3, 0.2}, rand.New(rand.NewPCG(2, 9)))
		r := must(racing.New(c, s))
		for range answers {
			q := must(r.Ask())
			questions = append(questions, q)
			if err := r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
				t.Fatal(err)
			}
		}
		return questions
	}
	without := asked(racing.Settings{})
	if !reflect.DeepEqual(asked(racing.Settings{LinearOnly: racing.LinearOnly{Budget: 1_000_000_000}}), without) {
		t.Error("an ample budget changes the questions")
	}
	if reflect.DeepEqual(asked(racing.Settings{LinearOnly: racing.LinearOnly{Budget: answers}}), without) {
		t.Error("a small budget changes no question")
	}
}
