//go:build long

package simulate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestLongOfferValidity: four instances, 50 runs each, at δ = 0.1 for every offer, with none of the
// arms as good as the third best, or nearly. By Ville's inequality the share of runs with any wrong
// statement, about the best arm or about none, and of runs in which the capital at the truth ever
// reached 1/δ, is at most δ. With 200 runs a share of 0.05 shows as 10 ± 3 runs, and one of 0.15 as 30
// ± 5: the limit of 20 tells them apart.
func TestLongOfferValidity(t *testing.T) {
	for name, offer := range map[string]choice.Offer{
		"outside":    {Outside: true},
		"best-worst": {BestWorst: true},
		"ties":       {Ties: true},
		"all offers": {Outside: true, BestWorst: true, Ties: true},
	} {
		t.Run(name, func(t *testing.T) { checkOfferValidity(t, offer) })
	}
}

func checkOfferValidity(t *testing.T, offer choice.Offer) {
	t.Helper()
	const delta, runs = 0.1, 50
	var wrong, reached, stopped, stated, all int
	for at := range 4 {
		in := sphereOf(t, 5+at, 2+at%2, []float64{2, 6}[at/2], uint64(at+1))
		utilities := make([]float64, in.Catalogue.Len())
		for arm := range utilities {
			utilities[arm] = in.Catalogue.Utility(arm, in.Theta)
		}
		third := slices.Sorted(slices.Values(utilities))[len(utilities)-3] + []float64{0, 0.05}[at%2]
		in.Outside = &third
		constants := crowd.Constants{Outside: third, Tie: -0.5}
		truth := slices.Clone(in.Theta)
		if offer.Outside {
			truth = append(truth, constants.Outside)
		}
		if offer.Ties {
			truth = append(truth, constants.Tie)
		}
		settings := racing.Settings{K: 3 + at%2, Delta: delta, Offer: offer}
		if at%2 == 0 {
			settings.LookEvery = -1
		}
		var mutex sync.Mutex
		over := map[int]bool{}
		for _, run := range race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = runs, uint64(at), 1000
			e.Crowd = func(rng *rand.Rand) crowd.Respondent {
				return crowd.NewOffered(offer, constants, func(arm int) float64 { return utilities[arm] }, rng)
			}
			e.Each = func(run, _ int, s strategy.Strategy) {
				if r, ok := s.(*racing.Linear); ok && r.Capital(truth) >= math.Log(1/delta) {
					mutex.Lock()
					over[run] = true
					mutex.Unlock()
				}
			}
		}) {
			all++
			stated += len(run.Outside.Better) + len(run.Outside.Worse)
			if run.Stopped {
				stopped++
			}
			if run.Stopped && !run.Correct || run.OutsideWrong > 0 {
				wrong++
			}
		}
		reached += len(over)
	}
	t.Logf("%d runs, %d stopped, %d statements about none, %d runs with a wrong one, the capital at the truth reached 1/δ in %d", all, stopped, stated, wrong, reached)
	if all != 200 || stopped < all/5 || offer.Outside && stated < all {
		t.Errorf("%d runs, %d stopped, %d statements about none", all, stopped, stated)
	}
	if float64(wrong) > delta*float64(all) || float64(reached) > delta*float64(all) {
		t.Errorf("of %d runs %d are wrong, and in %d the capital reached 1/δ", all, wrong, reached)
	}
}
