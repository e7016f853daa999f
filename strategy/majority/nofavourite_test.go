package majority

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/evidence"
)

// TestBetsAgainstBestAreFair: where a respondent chooses every other arm over X with probability ½ + ε at most, the
// capital against X does not grow on average, whatever the respondents before said. X is each of the
// three arms in turn, of which two are nominated.
func TestBetsAgainstBestAreFair(t *testing.T) {
	c := threeArms(t)
	about := newArms(c, Settings{K: 3, Delta: 0.1, Share: 1, Epsilon: 0.2})
	points := about.points()
	for _, favoured := range []int{0, 1, 2} { // by the respondents before
		for x := range 3 {
			mean, moved := 0.0, false
			for pick := range 3 {
				e := election{}
				e.nominate(&about, 0)
				e.nominate(&about, 1)
				b := evidence.NewBelief(c.Dim())
				var p people
				vote := func(slot int) float64 {
					h, _ := p.arrive("", "", []choice.Question{{0, 1, 2}})
					e.bet(&about, h, Guide{Rows: c, Belief: &b, Picks: 1})
					e.count(h.Arrival, choice.Answer{Question: h.Cards[0], Picks: []int{slot}})
					h.Answered = 1
					e.end(&about, h)
					e.settle(&about, h.Arrival)
					return e.AgainstBest[x].Logs[0]
				}
				var before float64
				for n := range 12 {
					before = vote((favoured + n%3%2) % 3)
				}
				after := vote(pick)
				chance := 0.5 - points // of X, relative to ½ + ε for each other arm
				if pick != x {
					chance = 0.5 + points
				}
				mean += chance / (1.5 + points) * math.Exp(after-before)
				moved = moved || after != before
			}
			if mean > 1+1e-12 {
				t.Errorf("the capital against arm %d grows to %v", x, mean)
			}
			if x == (favoured+2)%3 && !moved {
				t.Errorf("nothing is bet against arm %d, which was never chosen", x)
			}
		}
	}
}

// TestNoFavouriteNeedsUnchangedArms: once arms have come or gone, bets against the best certify nothing; before that they
// do, if they reach the threshold for every arm.
func TestNoFavouriteNeedsUnchangedArms(t *testing.T) {
	about := arms{delta: 0.1}
	enough := evidence.Capital{Highest: []float64{cycleThreshold(about.delta)}}
	less := evidence.Capital{Highest: []float64{cycleThreshold(about.delta) - 0.1}}
	for _, test := range []struct {
		election election
		want     bool
	}{
		{election{}, false},
		{election{AgainstBest: againstBest{enough, enough}}, true},
		{election{AgainstBest: againstBest{enough, less}}, false},
		{election{AgainstBest: againstBest{enough, enough}, Changed: true}, false},
	} {
		if got := test.election.isCyclic(&about); got != test.want {
			t.Errorf("%+v: %v", test.election, got)
		}
	}
}

// TestRefutationQuestions: every arm that is not refuted is compared with one that beats it, and no three
// arms of a cycle are shown together if there are others.
func TestRefutationQuestions(t *testing.T) {
	m := refutation{Left: []beaten{
		{Arm: 0, By: 1, OnCycle: true, Takes: 50},
		{Arm: 1, By: 2, OnCycle: true, Takes: 50},
		{Arm: 2, By: 0, OnCycle: true, Takes: 50},
		{Arm: 3, By: 1, Takes: 5},
	}}
	rng := rand.New(rand.NewPCG(1, 1))
	asked := map[int]bool{}
	for range 100 {
		q := m.question(3, rng)
		cyclic := 0
		for _, place := range q {
			if place < 3 {
				cyclic++
			}
		}
		if len(q) < 2 || cyclic > 2 || len(slices.Compact(slices.Sorted(slices.Values(q)))) != len(q) {
			t.Fatalf("question %v", q)
		}
		asked[q[1]] = true
	}
	if len(asked) != 4 {
		t.Errorf("asked about %v", asked)
	}
}

func threeArms(t *testing.T) *choice.Catalogue {
	t.Helper()
	c, err := choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {-1, -1}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
