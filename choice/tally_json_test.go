package choice_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
)

func TestTallySurvivesJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	c := randomCatalogue(t, rng, 6, 3)
	tally := choice.NewTally(6)
	for range 80 {
		if err := tally.AddWeighted(randomAnswer(rng, 6), rng.Float64()+0.1); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(tally)
	if err != nil {
		t.Fatal(err)
	}
	restored := choice.NewTally(2)
	if err := json.Unmarshal(text, restored); err != nil {
		t.Fatal(err)
	}
	for range 20 { // and it goes on as it would have
		a := randomAnswer(rng, 6)
		if tally.Add(a) != nil || restored.Add(a) != nil {
			t.Fatal("refused")
		}
	}
	if contents(tally) != contents(restored) {
		t.Errorf("%s\n%s", contents(tally), contents(restored))
	}
	theta := []float64{1, -0.5, 0.3}
	if a, b := choice.NewLinear(c, tally).LogLikelihood(theta), choice.NewLinear(c, restored).LogLikelihood(theta); a != b {
		t.Errorf("log-likelihood %v and %v", a, b)
	}
}
