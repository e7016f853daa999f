package strategy

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
)

// racingAfter is the certified strategy after so many answers about n arms. It cannot stop:
// δ is beyond all evidence.
func racingAfter(b *testing.B, n, d, k, answers int) *Racing {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	rows, ids, features, theta := make([][]float64, n), make([]string, n), make([]string, d), make([]float64, d)
	for i := range rows {
		ids[i], rows[i] = fmt.Sprint("a", i), make([]float64, d)
		for j := range rows[i] {
			rows[i][j] = rng.NormFloat64() / 4
		}
	}
	for j := range theta {
		features[j], theta[j] = fmt.Sprint("x", j), rng.NormFloat64()
	}
	c, err := choice.NewCatalogue(ids, features, rows)
	if err != nil {
		b.Fatal(err)
	}
	r, err := NewRacing(c, Settings{K: k, Delta: 1e-300})
	if err != nil {
		b.Fatal(err)
	}
	respondent := crowd.NewMNL(c, theta, rng)
	for range answers {
		q, err := r.Ask()
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
			b.Fatal(err)
		}
	}
	return r
}

// BenchmarkRacingLook is a full look: estimate, challengers, stop check, deck.
func BenchmarkRacingLook(b *testing.B) {
	r := racingAfter(b, 1000, 16, 4, 10_000)
	b.ReportMetric(float64(r.tally.Distinct()), "questions")
	for b.Loop() {
		r.lookNow()
	}
}

// BenchmarkRacingAsk is asking from the deck.
func BenchmarkRacingAsk(b *testing.B) {
	r := racingAfter(b, 200, 8, 4, 3000)
	deck := append([]choice.Question(nil), r.state.Deck...)
	for len(deck) < 2 {
		r.plan()
		deck = append(deck, r.state.Deck...)
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(r.state.Deck) == 0 {
			r.state.Deck = append(r.state.Deck[:0], deck...)
		}
		if _, err := r.Ask(); err != nil {
			b.Fatal(err)
		}
	}
}
