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
	for i := range 80 {
		weight := rng.Float64() + 0.1
		if i%2 == 0 { // integers have an encoding of their own
			weight = float64(1 + i*i*i)
		}
		if err := tally.AddWeighted(randomAnswer(rng, 6), weight); err != nil {
			t.Fatal(err)
		}
	}
	text := must(json.Marshal(tally))
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

// TestBadTallyJSON: malformed data is an error, and never a panic.
func TestBadTallyJSON(t *testing.T) {
	for name, text := range map[string]string{
		"one arm":               `{"arms":1,"seen":[],"wins":[],"questions":""}`,
		"wins of unknown arms":  `{"arms":3,"seen":[0],"wins":[1,2],"questions":""}`,
		"no slots":              `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AA=="}`,
		"a slot of no arm":      `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgAFAgAC"}`,
		"cut off in the slots":  `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgA="}`,
		"cut off in the weight": `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgABAQ=="}`,
		"not a weight":          `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgABAwAC"}`,
	} {
		if err := new(choice.Tally).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := new(choice.Tally).UnmarshalJSON([]byte(`{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgABAgAC"}`)); err != nil {
		t.Error(err)
	}
}
