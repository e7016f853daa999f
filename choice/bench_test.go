package choice_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/choice"
)

// BenchmarkWarmRefit is the inner loop of a bandit: one more answer, then a new
// estimate from the old one. 8 arms, d = 7, K = 3, 100 distinct questions.
func BenchmarkWarmRefit(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := randomCatalogue(b, rng, 8, 7)
	theta := randomVector(rng, 7, 1)
	tally := choice.NewTally(8)
	for tally.Distinct() < 100 {
		q := make(choice.Question, 3)
		for i := range q {
			q[i] = rng.IntN(8)
		}
		if q.Check(8) == nil {
			addSampled(b, rng, tally, c, q, theta)
		}
	}
	var asked []choice.Question
	for q := range tally.Questions() {
		asked = append(asked, append(choice.Question(nil), q...))
	}
	for i := range 5000 {
		addSampled(b, rng, tally, c, asked[i%len(asked)], theta)
	}
	answers := make([]choice.Answer, 1000)
	var utilities []float64
	for i := range answers {
		q := asked[rng.IntN(len(asked))]
		utilities = c.Utilities(utilities, q, theta)
		answers[i] = choice.Answer{Question: q, Picks: []int{choice.SamplePick(rng, utilities)}}
	}
	estimator := choice.Estimator{RidgeOnMean: 1e-4}
	estimate := make([]float64, 7)
	if _, err := estimator.Fit(choice.NewLinear(c, tally), estimate); err != nil {
		b.Fatal(err)
	}
	saved := must(tally.MarshalJSON())
	var growing *choice.Tally
	var likelihood *choice.Linear
	warm := make([]float64, 7)
	steps := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(answers) == 0 { // start again from 5,000 answers
			b.StopTimer()
			growing = &choice.Tally{}
			if err := growing.UnmarshalJSON(saved); err != nil {
				b.Fatal(err)
			}
			likelihood = choice.NewLinear(c, growing)
			copy(warm, estimate)
			if _, err := estimator.Fit(likelihood, warm); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		if err := growing.Add(answers[i%len(answers)]); err != nil {
			b.Fatal(err)
		}
		fit := must(estimator.Fit(likelihood, warm))
		steps += fit.Iterations
	}
	b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
}
