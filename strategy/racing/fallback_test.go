package racing_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// square is four arms at the corners of a square, and one in the middle.
func square(t *testing.T) *choice.Catalogue {
	t.Helper()
	return catalogue(t, []float64{1, 1}, []float64{1, -1}, []float64{-1, 1}, []float64{-1, -1}, []float64{0, 0})
}

func newRace(t *testing.T, c *choice.Catalogue, s racing.Settings) racing.Race {
	t.Helper()
	return must(racing.New(c, s))
}

// answerAll lets named people of a population answer each questions each, until the race is decided or a number
// of people have answered. It returns the last verdict.
func answerAll(t *testing.T, r racing.Race, p crowd.Population, people, each int, rng *rand.Rand) strategy.Verdict {
	t.Helper()
	for n := range people {
		person := &crowd.Person{Utilities: p(rng), Rng: rng}
		name := fmt.Sprint("r", n)
		hand, asking := dealHand(t, r, name, each)
		if !asking {
			break
		}
		for _, q := range hand {
			if err := r.Tell(choice.Answer{Question: q, Picks: person.Pick(q, 1), Respondent: name}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r.Verdict()
}

// dealHand deals a person a hand of questions, if the race is about people. It reports false if the race has
// stopped.
func dealHand(t *testing.T, r racing.Race, name string, each int) ([]choice.Question, bool) {
	t.Helper()
	var hand []choice.Question
	for range each {
		q, err := r.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			return nil, false
		}
		if err != nil {
			t.Fatal(err)
		}
		hand = append(hand, q)
	}
	if dealer, personal := r.(strategy.Dealer); personal {
		if err := dealer.Deal(name, "", hand); err != nil {
			t.Fatal(err)
		}
	}
	return hand, true
}

// steady is a population of people with the same utilities.
func steady(utilities ...float64) crowd.Population {
	return func(*rand.Rand) []float64 { return utilities }
}

func snapshotOf(t *testing.T, r racing.Race) []byte {
	t.Helper()
	return must(r.Snapshot())
}

// divided is two segments that want opposite things, with an arm in the middle that is nearly as good
// for both: no linear model holds, and people differ.
func divided(rng *rand.Rand) []float64 {
	if rng.IntN(2) == 0 {
		return []float64{2, 0, 0, -2, 1.5}
	}
	return []float64{-2, 0, 0, 2, 1.5}
}

// TestFallback: where the answers refute the linear model, a race with a fallback goes on and certifies
// under majority; without one it ends without a certificate. A restored race does the same.
func TestFallback(t *testing.T) {
	settings := racing.Settings{K: 3, Delta: 0.1, Epsilon: 0.2, LinearOnly: racing.LinearOnly{Fallback: 0.25}}
	c := square(t)
	r := newRace(t, c, settings)
	v := answerAll(t, r, divided, 40, 10, rand.New(rand.NewPCG(3, 3)))
	if v.Model.Status != checks.Refuted || v.Assumption != strategy.Majority {
		t.Fatalf("after 300 answers: %+v", v)
	}
	copied := must(racing.Restore(c, snapshotOf(t, r)))
	v = answerAll(t, r, divided, 500, 10, rand.New(rand.NewPCG(4, 4)))
	if again := answerAll(t, copied, divided, 500, 10, rand.New(rand.NewPCG(4, 4))); fmt.Sprint(again) != fmt.Sprint(v) {
		t.Errorf("restored: %+v\nnot %+v", again, v)
	}
	if !bytes.Equal(snapshotOf(t, r), snapshotOf(t, copied)) {
		t.Error("snapshots differ")
	}
	if v.Status != strategy.Certified || v.Leader != 4 || v.Proven.Arm != 4 || !v.Partial || v.Finished == 0 {
		t.Errorf("%+v", v)
	}
	settings.Fallback, settings.Delta = 0, 1e-6
	v = answerAll(t, newRace(t, c, settings), divided, 500, 10, rand.New(rand.NewPCG(3, 3)))
	if v.Status != strategy.Decided || v.Assumption != strategy.Linear {
		t.Errorf("without a fallback: %+v", v)
	}
}

// TestFallbackFits: where the linear model holds, a race with a fallback ends under it.
func TestFallbackFits(t *testing.T) {
	r := newRace(t, square(t), racing.Settings{K: 3, Delta: 0.1, Epsilon: 0.2, LinearOnly: racing.LinearOnly{Fallback: 0.25}})
	v := answerAll(t, r, steady(2, 0, 0, -2, 0), 500, 5, rand.New(rand.NewPCG(5, 5)))
	if v.Status != strategy.Certified || v.Leader != 0 || v.Assumption != strategy.Linear {
		t.Errorf("%+v", v)
	}
}

// TestMisfitsAreFlagged: an arm that is picked more often than its features say is flagged, and none
// where the model holds.
func TestMisfitsAreFlagged(t *testing.T) {
	flagged := func(utilities ...float64) []int {
		r := newRace(t, square(t), racing.Settings{K: 3, Delta: 1e-9})
		var arms []int
		for _, m := range answerAll(t, r, steady(utilities...), 400, 1, rand.New(rand.NewPCG(8, 8))).Misfits {
			arms = append(arms, m.Arm)
		}
		return arms
	}
	if arms := flagged(0.5, 0.3, -0.3, -0.5, 0); arms != nil {
		t.Errorf("without a misfit: %v", arms)
	}
	if arms := flagged(0.5, 0.3, -0.3, -0.5, 2); !slices.Contains(arms, 4) {
		t.Errorf("with a misfit: %v", arms)
	}
}
