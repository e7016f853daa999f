package choice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestSamplePickFollowsSoftmax: with n = 200,000 draws the share of a slot has
// standard error at most √(¼/n) = 0.0011; five of them are 0.0056.
func TestSamplePickFollowsSoftmax(t *testing.T) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(1, 2))
	utilities := []float64{1, -0.5, 0, 1.7}
	counts := make([]float64, len(utilities))
	for range n {
		counts[choice.SamplePick(rng, utilities)]++
	}
	for i, p := range choice.Probabilities(nil, utilities) {
		approx.Equal(t, fmt.Sprintf("share of slot %d", i), counts[i]/n, p, 0.0056)
	}
}

// TestSampleRankingFollowsPlackettLuce: the chance of the prefix (i, j) is p_i
// times p_j among the rest. Tolerance as above.
func TestSampleRankingFollowsPlackettLuce(t *testing.T) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(3, 4))
	utilities := []float64{0.3, -1, 1}
	counts := map[[2]int]float64{}
	for range n {
		picks := choice.SampleRanking(rng, utilities, 2)
		counts[[2]int{picks[0], picks[1]}]++
	}
	p := choice.Probabilities(nil, utilities)
	for i := range utilities {
		for j := range utilities {
			if i != j {
				approx.Equal(t, fmt.Sprintf("share of %d before %d", i, j), counts[[2]int{i, j}]/n, p[i]*p[j]/(1-p[i]), 0.0056)
			}
		}
	}
}

func TestSamplingAtExtremeUtilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		if got := choice.SamplePick(rng, []float64{-1e4, 1e4, 0}); got != 1 {
			t.Fatalf("picked slot %d against a lead of 1e4", got)
		}
		if got := choice.SampleRanking(rng, []float64{-1e4, 1e4, 0}, 3); got[0] != 1 || got[1] != 2 || got[2] != 0 {
			t.Fatalf("ranked %v", got)
		}
		if g := choice.Gumbel(rng); math.IsNaN(g) {
			t.Fatal("Gumbel noise is NaN")
		}
	}
}

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

func TestQuestionCheck(t *testing.T) {
	for _, c := range []struct {
		question choice.Question
		says     string
	}{
		{choice.Question{0, 1}, ""},
		{choice.Question{3, 3, 1}, ""},
		{nil, "at least two"},
		{choice.Question{2}, "at least two"},
		{choice.Question{0, 4}, "slot 1 shows arm 4"},
		{choice.Question{-1, 0}, "slot 0 shows arm -1"},
		{choice.Question{2, 2, 2}, "all 3 slots show arm 2"},
	} {
		checkSays(t, c.question, c.question.Check(4), c.says)
	}
}

func TestAnswerCheck(t *testing.T) {
	shown := choice.Question{3, 1, 0}
	for _, c := range []struct {
		answer choice.Answer
		says   string
	}{
		{choice.Answer{Question: shown, Picks: []int{1}}, ""},
		{choice.Answer{Question: shown, Picks: []int{2, 0, 1}}, ""},
		{choice.Answer{Question: choice.Question{1}, Picks: []int{0}}, "at least two"},
		{choice.Answer{Question: shown}, "at least one slot must be picked"},
		{choice.Answer{Question: shown, Picks: []int{3}}, "pick 1 is slot 3"},
		{choice.Answer{Question: shown, Picks: []int{0, -1}}, "pick 2 is slot -1"},
		{choice.Answer{Question: shown, Picks: []int{0, 1, 0}}, "slot 0 is picked twice"},
	} {
		checkSays(t, c.answer, c.answer.Check(4), c.says)
	}
}

// checkSays fails unless err is nil for "" and says the given words otherwise.
func checkSays(t *testing.T, what any, err error, says string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Errorf("%v: refused: %v", what, err)
	case says != "" && err == nil:
		t.Errorf("%v: accepted, want %q", what, says)
	case says != "" && !strings.Contains(err.Error(), says):
		t.Errorf("%v: %q does not say %q", what, err, says)
	}
}
