package choice_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
)

// randomCatalogue returns n arms a0, a1, … with d standard normal features.
func randomCatalogue(t testing.TB, rng *rand.Rand, n, d int) *choice.Catalogue {
	t.Helper()
	ids, features, rows := make([]string, n), make([]string, d), make([][]float64, n)
	for k := range features {
		features[k] = fmt.Sprintf("x%d", k)
	}
	for i := range rows {
		ids[i] = fmt.Sprintf("a%d", i)
		rows[i] = randomVector(rng, d, 1)
	}
	return must(choice.NewCatalogue(ids, features, rows))
}

// randomVector returns d normal numbers of the given scale.
func randomVector(rng *rand.Rand, d int, scale float64) []float64 {
	v := make([]float64, d)
	for k := range v {
		v[k] = scale * rng.NormFloat64()
	}
	return v
}

// addSampled adds one answer to q drawn from the model at theta.
func addSampled(t testing.TB, rng *rand.Rand, tally *choice.Tally, c *choice.Catalogue, q choice.Question, theta []float64) {
	t.Helper()
	pick := choice.SamplePick(rng, c.Utilities(nil, q, theta))
	if err := tally.Add(choice.Answer{Question: q, Picks: []int{pick}}); err != nil {
		t.Fatal(err)
	}
}

// mustEstimate fails the test where there is no estimate.
func mustEstimate(t testing.TB, e choice.Estimator, l choice.Likelihood) *choice.Estimate {
	t.Helper()
	return must(e.Estimate(l))
}
