//go:build long

package racing_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A validity counts simulated races at validityDelta. By Ville's inequality the share of runs with any
// wrong statement, and of runs in which the capital at the truth ever reached 1/δ, is at most δ.
type validity struct {
	all, stopped, wrong, reached, stated int // stated: about none of the arms
}

const validityDelta = 0.1

// add simulates races on an instance. The truth is θ with the constants of the offer.
func (v *validity) add(
	t *testing.T, in simulate.Instance, settings racing.Settings, truth []float64, change func(*simulate.Experiment),
) {
	t.Helper()
	settings.Delta = validityDelta
	var mutex sync.Mutex
	over := map[int]bool{}
	e := simulate.Experiment{
		Instance: in,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			own := settings
			own.Seed = seed
			return racing.New(in.Catalogue, own)
		},
		Crowd:   func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(in.Catalogue, in.Theta, rng) },
		Epsilon: settings.Epsilon,
		Each: func(run, _ int, s strategy.Strategy) {
			if r, ok := s.(*racing.Linear); ok && r.Capital(truth) >= math.Log(1/validityDelta) {
				mutex.Lock()
				over[run] = true
				mutex.Unlock()
			}
		},
	}
	change(&e)
	runs := must(e.Run(t.Context()))
	for _, run := range runs {
		v.all++
		v.stated += len(run.Outside.Better) + len(run.Outside.Worse)
		if run.Stopped {
			v.stopped++
		}
		if run.Stopped && !run.Correct || run.OutsideWrong > 0 {
			v.wrong++
		}
	}
	v.reached += len(over)
}

// check fails unless there were enough runs, enough of them stopped, and at most the share δ was wrong.
func (v *validity) check(t *testing.T, all, stopped int) {
	t.Helper()
	t.Logf("%+v", *v)
	if v.all != all || v.stopped < stopped {
		t.Errorf("%d runs, %d stopped", v.all, v.stopped)
	}
	if limit := validityDelta * float64(all); float64(v.wrong) > limit || float64(v.reached) > limit {
		t.Errorf("of %d runs %d are wrong, and in %d the capital reached 1/δ", v.all, v.wrong, v.reached)
	}
}

func sphere(t *testing.T, n, d int, norm float64, at int) simulate.Instance {
	t.Helper()
	return must(simulate.Sphere(n, d, norm, uint64(at+1)))
}

// TestLongValidity: 48 instances, 50 runs each: gaps from tiny to large, copies of the best arm,
// dimensions without meaning, K from 2 to 8, rankings, ε, a look after every answer. With 2,400 runs a
// share of exactly 0.1 would show as 0.1 ± 0.006.
func TestLongValidity(t *testing.T) {
	for name, size := range map[string]func(at int) (n, d int){
		"without tilts": func(at int) (n, d int) { return 4 + at%3, 2 + at%3 },
		"tilts":         func(at int) (n, d int) { return 3*(2+at%3) + 1 + at%6, 2 + at%3 },
	} {
		t.Run(name, func(t *testing.T) {
			var v validity
			for at := range 48 {
				n, d := size(at)
				in := sphere(t, n, d, []float64{0.5, 1, 3, 8}[at%4], at)
				settings := racing.Settings{K: min(2+at%7, n)}
				if at%5 == 0 {
					in = withCopy(t, in)
				}
				if at%3 == 0 {
					settings.Epsilon = 0.2
				}
				if at%2 == 0 {
					settings.LookEvery = -1
				}
				v.add(t, in, settings, in.Theta, func(e *simulate.Experiment) {
					e.Runs, e.Seed, e.MaxQuestions, e.Picks = 50, uint64(at), 1500, 1+at%min(settings.K-1, 3)
				})
			}
			v.check(t, 2400, 800)
		})
	}
}

// withCopy adds a copy of the best arm and a dimension that no arm has.
func withCopy(t *testing.T, in simulate.Instance) simulate.Instance {
	t.Helper()
	var rows [][]float64
	for arm := range in.Catalogue.Len() {
		rows = append(rows, append(slices.Clone(in.Catalogue.Arm(arm)), 1))
	}
	best, _ := in.Best()
	return simulate.Instance{Catalogue: catalogue(t, append(rows, rows[best])...), Theta: append(slices.Clone(in.Theta), 0.5)}
}

// TestLongPriorValidity: 480 runs on 24 instances, with 2,000 recorded picks of people with −θ. A true
// share of 0.15 would give 72 ± 8, and one of 0.05 gives 24 ± 5.
func TestLongPriorValidity(t *testing.T) {
	var v validity
	for at := range 24 {
		d := 2 + at%3
		in := sphere(t, 3*d+1+at%6, d, []float64{1, 3}[at%2], at)
		settings := racing.Settings{K: 2 + at%3}
		rng, tally := rand.New(rand.NewPCG(uint64(at), 77)), choice.NewTally(in.Catalogue.Len())
		opposite := crowd.NewMNL(in.Catalogue, floats.ScaleTo(make([]float64, d), -1, in.Theta), rng)
		for range 2000 {
			q := choice.Question(rng.Perm(in.Catalogue.Len())[:3])
			if err := tally.Add(choice.Answer{Question: q, Picks: opposite.Pick(q, 1)}); err != nil {
				t.Fatal(err)
			}
		}
		settings.Prior = priorOf(t, in.Catalogue, tally)
		if at%3 == 0 {
			settings.Epsilon = 0.2
		}
		v.add(t, in, settings, in.Theta, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = 20, uint64(at), 1500
		})
	}
	v.check(t, 480, 160)
}

// TestLongOfferValidity: four instances, 50 runs each, for every offer, with none of the arms as good as
// the third best, or nearly. With 200 runs a share of 0.05 shows as 10 ± 3 runs, and one of 0.15 as 30 ±
// 5: the limit of 20 tells them apart.
func TestLongOfferValidity(t *testing.T) {
	for name, offer := range map[string]choice.Offer{
		"outside":    {Outside: true},
		"best-worst": {BestWorst: true},
		"ties":       {Ties: true},
		"all offers": {Outside: true, BestWorst: true, Ties: true},
	} {
		t.Run(name, func(t *testing.T) {
			var v validity
			for at := range 4 {
				in := sphere(t, 5+at, 2+at%2, []float64{2, 6}[at/2], at)
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
				settings := racing.Settings{K: 3 + at%2, Offer: offer}
				if at%2 == 0 {
					settings.LookEvery = -1
				}
				v.add(t, in, settings, truth, func(e *simulate.Experiment) {
					e.Runs, e.Seed, e.MaxQuestions = 50, uint64(at), 1000
					e.Crowd = func(rng *rand.Rand) crowd.Respondent {
						return crowd.NewOffered(offer, constants, func(arm int) float64 { return utilities[arm] }, rng)
					}
				})
			}
			if v.check(t, 200, 40); offer.Outside && v.stated < v.all {
				t.Errorf("%d statements about none", v.stated)
			}
		})
	}
}
