package racing

import (
	"math"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// TestDoubtsAreFair: where a respondent chooses every other arm over X with probability ½ + ε at most, the
// capital against X does not grow on average, whatever the respondents before said. X is each of the
// three arms in turn, of which two are nominated.
func TestDoubtsAreFair(t *testing.T) {
	r, err := New(threeArms(t), Settings{K: 3, Delta: 0.1, Epsilon: 0.2, Assume: strategy.Majority})
	if err != nil {
		t.Fatal(err)
	}
	points := r.contest.points()
	for _, favoured := range []int{0, 1, 2} { // by the respondents before
		for x := range 3 {
			mean, moved := 0.0, false
			for pick := range 3 {
				e := election{}
				e.nominate(&r.contest, 0)
				e.nominate(&r.contest, 1)
				b := evidence.NewBelief(r.contest.dim())
				vote := func(slot int) {
					e.enter(&r.contest, &b, []choice.Answer{{Question: choice.Question{0, 1, 2}, Picks: []int{slot}}})
				}
				for n := range 12 {
					vote((favoured + n%3%2) % 3)
				}
				before := e.Doubts[x]
				vote(pick)
				p := 0.5 - points // of X, relative to ½ + ε for each other arm
				if pick != x {
					p = 0.5 + points
				}
				mean += p / (1.5 + points) * math.Exp(e.Doubts[x]-before)
				moved = moved || e.Doubts[x] != before
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

// TestDoubtsNeedUnchangedArms: once arms have come or gone, doubts certify nothing; before that they do, if
// they reach the threshold for every arm.
func TestDoubtsNeedUnchangedArms(t *testing.T) {
	made := contest{settings: Settings{Delta: 0.1, Assume: strategy.Majority}}
	enough := made.doubtThreshold()
	for _, test := range []struct {
		election election
		want     bool
	}{
		{election{}, false},
		{election{Doubts: doubts{enough, enough}}, true},
		{election{Doubts: doubts{enough, enough - 0.1}}, false},
		{election{Doubts: doubts{enough, enough}, Changed: true}, false},
	} {
		if got := test.election.isCyclic(&made); got != test.want {
			t.Errorf("%+v: %v", test.election, got)
		}
	}
}

// TestRefutationQuestions: every arm that is not refuted is compared with one that beats it, and no three
// arms of a cycle are shown together if there are others.
func TestRefutationQuestions(t *testing.T) {
	m := refutation{Left: []beaten{{Place: 0, By: 1, OnCycle: true, Takes: 50}, {Place: 1, By: 2, OnCycle: true, Takes: 50}, {Place: 2, By: 0, OnCycle: true, Takes: 50}, {Place: 3, By: 1, Takes: 5}}}
	r, err := New(threeArms(t), Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	asked := map[int]bool{}
	for range 100 {
		q := m.question(3, r.rng)
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
