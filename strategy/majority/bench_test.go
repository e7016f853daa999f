package majority

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
)

// BenchmarkMajorityLook measures a look after 2,000 answers of 200 people: ten rankings of three arms that have names only.
// Every fourth look fits the model, as in a race.
func BenchmarkMajorityLook(b *testing.B) {
	for _, n := range []int{12, 100, 300} {
		b.Run(fmt.Sprint("N=", n), func(b *testing.B) {
			ids, rows, utilities := make([]string, n), make([][]float64, n), make([]float64, n)
			rng := rand.New(rand.NewPCG(uint64(n), 1))
			for i := range ids {
				ids[i], rows[i], utilities[i] = fmt.Sprint("a", i+1), make([]float64, n), rng.NormFloat64()
				rows[i][i] = 1
			}
			c, err := choice.NewCatalogue(ids, ids, rows)
			if err != nil {
				b.Fatal(err)
			}
			settings := Settings{K: 3, Delta: 1e-300, Epsilon: 0.2, Seed: 1} // not decided while it is measured
			r, err := New(c, settings)
			if err != nil {
				b.Fatal(err)
			}
			person := &crowd.Person{Utilities: utilities, Rng: rng}
			answer := func(name string) {
				hand := make([]choice.Question, 10)
				for i := range hand {
					if hand[i], err = r.Ask(); err != nil {
						b.Fatal(err)
					}
				}
				if err := r.Deal(name, "", hand); err != nil {
					b.Fatal(err)
				}
				for _, q := range hand {
					if err := r.Tell(choice.Answer{Question: q, Picks: person.Pick(q, 2), Respondent: name}); err != nil {
						b.Fatal(err)
					}
				}
			}
			for i := range 200 {
				answer(fmt.Sprint("person ", i))
			}
			data, err := r.Snapshot()
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for looks := 0; b.Loop(); looks++ {
				b.StopTimer()
				if r, err = Restore(c, data); err != nil {
					b.Fatal(err)
				}
				if r.model.NextFit = math.MaxInt; looks%4 == 0 {
					r.model.NextFit = 0
				}
				b.StartTimer()
				r.look()
			}
		})
	}
}
