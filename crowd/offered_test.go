package crowd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
)

// TestOfferedFollowsTheModel: each answer is as frequent as its likelihood. With 100,000 answers a share
// has a standard error of at most 0.0016; five of them, for about 40 comparisons, are 0.008.
func TestOfferedFollowsTheModel(t *testing.T) {
	const draws = 100_000
	c := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{0}, {1}, {-0.5}}))
	constants := crowd.Constants{Outside: 0.4, Tie: -0.3}
	q := choice.Question{2, 0, 1}
	for _, o := range []choice.Offer{
		{Outside: true},
		{Ties: true},
		{BestWorst: true},
		{Outside: true, Ties: true, BestWorst: true},
	} {
		rng := rand.New(rand.NewPCG(1, 5))
		respondent := crowd.NewOffered(o, constants, func(arm int) float64 { return c.Utility(arm, []float64{1}) }, rng)
		counts, answers := map[string]float64{}, map[string]choice.Answer{}
		for range draws {
			a := crowd.Answer(respondent, q, 1)
			if err := o.Check(a, 3); err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprint(a.Picks)
			counts[key]++
			if _, known := answers[key]; !known {
				answers[key] = choice.Answer{Question: q, Picks: append([]int(nil), a.Picks...)}
			}
		}
		theta := []float64{1}
		if o.Outside {
			theta = append(theta, constants.Outside)
		}
		if o.Ties {
			theta = append(theta, constants.Tie)
		}
		x, sum := choice.NewAlternatives(c, o), 0.0
		for key, a := range answers {
			tally := choice.NewTally(x.Rows().Len())
			if err := x.Count(tally, a); err != nil {
				t.Fatal(err)
			}
			p := math.Exp(choice.NewLinear(x.Rows(), tally).LogLikelihood(theta))
			approx.Equal(t, fmt.Sprintf("%+v: %s", o, key), counts[key]/draws, p, 0.008)
			sum += p
		}
		approx.Equal(t, "all answers", sum, 1, 1e-12)
	}
}
