//go:build long

package simulate_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestLongExpectation: of 96 studies of random arms with random preferences, of 2 to 12
// dimensions and 10 to 80 arms, with K = 2 and 4, the ratio of the answers needed to what is
// expected has a median between 0.7 and 1.4, and between 35 and 75 % of the studies lie in the
// range that half of them are expected in. (With a true share of a half, 96 studies have a
// standard error of 5 %.) The instance seeds are other ones than those the rule was made from.
func TestLongExpectation(t *testing.T) {
	const epsilon, most = 0.2, 20_000
	var ratios []float64
	inside := 0
	for seed := range uint64(12) {
		for _, d := range []int{2, 4, 8, 12} {
			for _, k := range []int{2, 4} {
				in, err := simulate.Sphere([]int{15, 30, 80}[seed%3], d, 1.3*math.Sqrt(float64(d)), 200+seed)
				if err != nil {
					t.Fatal(err)
				}
				runs, err := simulate.Experiment{
					Instance: in, Seed: seed, MaxQuestions: most, Epsilon: epsilon,
					Strategy: func(seed uint64) (strategy.Strategy, error) {
						return racing.New(in.Catalogue, racing.Settings{K: k, Epsilon: epsilon, Seed: seed})
					},
					Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(in.Catalogue, in.Theta, rng) },
				}.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				expected := racing.Expect(in.Catalogue, racing.Settings{K: k})
				needed := float64(runs[0].Questions)
				ratios = append(ratios, needed/expected.Median)
				if needed >= expected.Low && needed <= expected.High {
					inside++
				}
			}
		}
	}
	slices.Sort(ratios)
	median, share := ratios[len(ratios)/2], float64(inside)/float64(len(ratios))
	t.Logf("answers over what is expected: quartiles %.2f, %.2f, %.2f; %.0f%% in the range", ratios[len(ratios)/4], median, ratios[3*len(ratios)/4], 100*share)
	if median < 0.7 || median > 1.4 || share < 0.35 || share > 0.75 {
		t.Errorf("median ratio %.2f, %.0f%% in the range", median, 100*share)
	}
}
