package racing_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestHandsRepeatLittle: until there is a nominee, a hand shows no option in more than half of its questions, or where there
// are too few options in as few as possible. One of four people answers between two arrivals.
func TestHandsRepeatLittle(t *testing.T) {
	for n := 4; n <= 24; n++ {
		for k := 2; k <= min(4, n); k++ {
			for _, each := range []int{1, 3, 10, 20} {
				for _, assume := range []strategy.Assumption{strategy.Majority, strategy.Linear} {
					for seed := range uint64(2) {
						checkHands(t, namedOrNot(t, n, seed), racing.Settings{K: k, Assume: assume, Seed: seed}, each)
					}
				}
			}
		}
	}
}

// namedOrNot returns options that have names only, or for every second seed two random features.
func namedOrNot(t *testing.T, n int, seed uint64) *choice.Catalogue {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 41))
	ids, rows := make([]string, n), make([][]float64, n)
	for i := range ids {
		ids[i], rows[i] = fmt.Sprint("option ", i+1), []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	c, err := choice.NewCatalogue(ids, []string{"x", "y"}, rows)
	if seed%2 == 0 {
		c, err = choice.NewNames(ids)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func checkHands(t *testing.T, c *choice.Catalogue, settings racing.Settings, each int) {
	t.Helper()
	settings = racing.Guarantee{Assume: settings.Assume}.Apply(settings, c)
	race := newRace(t, c, settings)
	rng := rand.New(rand.NewPCG(settings.Seed, 2))
	var hands strategy.Hands
	most := max(each/2, (each*settings.K+c.Len()-1)/c.Len())
	for person := range 12 {
		if early := race.Verdict().Early; person > 0 && !(early && settings.Assume == strategy.Majority) {
			return // under linear only the first hand is certain to come before a nominee
		}
		cards, err := hands.Deal(race, fmt.Sprint("p", person), "", each)
		if err != nil {
			t.Fatal(err)
		}
		shown := make([]int, c.Len())
		for _, card := range cards {
			for _, arm := range card.Question {
				if shown[arm]++; shown[arm] > most {
					t.Fatalf("%d options, %d in a question, %s, seed %d: option %d is in more than %d of the %d questions of person %d",
						c.Len(), settings.K, settings.Assume, settings.Seed, arm+1, most, each, person)
				}
			}
		}
		if person%4 == 3 {
			for _, card := range cards {
				answer := []int{rng.IntN(len(card.Question))}
				if err := hands.Tell(race, card, answer); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
