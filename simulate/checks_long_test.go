//go:build long

package simulate_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy/racing"
)

// observe makes the checks on answers to random questions of K arms, in order, by a crowd.
// Each is called after every answer.
func observe(
	t *testing.T, in simulate.Instance, people func(*rand.Rand) crowd.Respondent, k, answers int, seed uint64,
	each func(*checks.Study),
) checks.Finding {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	respondent := people(rng)
	s := must(checks.NewStudy(in.Catalogue))
	for range answers {
		q := choice.Question(rng.Perm(in.Catalogue.Len())[:k])
		if err := s.Tell(crowd.Answer(respondent, q, 1)); err != nil {
			t.Fatal(err)
		}
		if each != nil {
			each(s)
		}
	}
	return s.Look()
}

// parallel calls f for every run, on all cores.
func parallel(runs int, f func(run int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for run := range next {
				f(run)
			}
		})
	}
	for run := range runs {
		next <- run
	}
	close(next)
	group.Wait()
}

// TestLongFalseAlarms: 2,000 crowds that follow the model, on 40 instances, 5,000 answers each,
// with a look after every answer. Each check alarms in at most 5 % of them, and so does the
// combination. With 2,000 runs a share of exactly 0.05 would show as 0.05 ± 0.005.
func TestLongFalseAlarms(t *testing.T) {
	const runs, answers = 2000, 5000
	var mutex sync.Mutex
	alarms, refuted := make([]int, len(checks.All())), 0
	parallel(runs, func(run int) {
		in := sphereOf(t, 4+run%3, 2+run%2, []float64{0.5, 1, 3, 6}[run%4], uint64(run%40+1))
		mnl := func(rng *rand.Rand) crowd.Respondent {
			respondent := crowd.NewMNL(in.Catalogue, in.Theta, rng)
			return &crowd.People{Each: 1 + run%30, Join: func(int, int) crowd.Respondent { return respondent }}
		}
		f := observe(t, in, mnl, 2+run%2, answers, uint64(run), func(s *checks.Study) { s.Look() })
		mutex.Lock()
		defer mutex.Unlock()
		for _, c := range checks.All() {
			if f.Each[c] >= math.Log(20) {
				alarms[c]++
			}
		}
		if f.Status == checks.Refuted {
			refuted++
		}
	})
	t.Logf("of %d runs alarms %v (%v), together %d", runs, alarms, checks.All(), refuted)
	for _, c := range checks.All() {
		if alarms[c] > runs/20 {
			t.Errorf("%v alarms in %d of %d runs", c, alarms[c], runs)
		}
	}
	if refuted > runs/20 {
		t.Errorf("the model is refuted in %d of %d runs", refuted, runs)
	}
}

// TestLongPower: each violation, at a strength that would matter, is noticed within 5,000
// answers in at least 90 of 100 runs, by the check for it; and over ten instances, in some of
// which the features explain most of what is broken, in at least 70.
func TestLongPower(t *testing.T) {
	for _, c := range []struct {
		name     string
		instance func(run int) uint64
		least    int
	}{
		{"one instance", func(int) uint64 { return 9 }, 90},
		{"ten instances", func(run int) uint64 { return uint64(run%10 + 1) }, 70},
	} {
		for _, check := range checks.All() {
			noticed, when := power(t, check, c.instance)
			t.Logf("%s, %v: noticed in %d of 100 runs, after %.0f answers", c.name, check, noticed, when)
			if noticed < c.least {
				t.Errorf("%s: %v is noticed in %d of 100 runs", c.name, check, noticed)
			}
		}
	}
}

// power returns in how many of 100 runs a violation is noticed, and after how many answers.
func power(t *testing.T, check checks.Check, instance func(run int) uint64) (noticed int, when float64) {
	t.Helper()
	var mutex sync.Mutex
	parallel(100, func(run int) {
		in, people := simulate.Violation{Check: check}.Of(sphereOf(t, 6, 2, 2, instance(run)))
		at, told := 0, 0
		f := observe(t, in, people, 4, 5000, uint64(run), func(s *checks.Study) {
			if told++; at == 0 && s.Finding().Status == checks.Refuted {
				at = told
			}
		})
		mutex.Lock()
		defer mutex.Unlock()
		if f.Status == checks.Refuted && f.Check == check {
			noticed++
			when += float64(at)
		}
	})
	return noticed, when / float64(max(noticed, 1))
}

// TestLongCertifiedErrors: where answers break the model and racing without checks would return
// a wrong arm in more than δ of the runs, it is certified in at most δ of them with checks and
// with verification. Ten instances, 20 runs each, for every violation; preferences change
// after 200 answers.
func TestLongCertifiedErrors(t *testing.T) {
	const delta = 0.05
	for _, check := range checks.All() {
		var plain, certified, stopped, runs int
		for seed := range uint64(10) {
			in, people := simulate.Violation{Check: check, At: 200}.Of(sphereOf(t, 8, 3, 2, seed+1))
			count := func(settings racing.Settings, wrong func(simulate.Run) bool) int {
				n := 0
				for _, run := range race(t, in, settings, func(e *simulate.Experiment) { e.Crowd, e.MaxQuestions = people, 5000 }) {
					if wrong(run) {
						n++
					}
					if settings.Verify > 0 {
						runs++
						if run.Certified {
							stopped++
						}
					}
				}
				return n
			}
			plain += count(racing.Settings{}, func(run simulate.Run) bool { return run.Stopped && !run.Correct })
			certified += count(racing.Settings{LinearOnly: racing.LinearOnly{Verify: 0.5}}, func(run simulate.Run) bool {
				return run.Certified && !run.Correct
			})
		}
		t.Logf("%v: wrong without checks %d of %d, certified and wrong with them %d (certified %d)", check, plain, runs, certified,
			stopped)
		if float64(plain) > delta*float64(runs) && float64(certified) > delta*float64(runs) {
			t.Errorf("%v: %d of %d certified and wrong", check, certified, runs)
		}
	}
}

// TestLongSlotsCost: constants for the slots take at most 60% more answers if no respondent favours any, as a mean over five
// instances, 60 runs each. They have no tilts, which save about a quarter of the answers of the plain model.
func TestLongSlotsCost(t *testing.T) {
	var ratio float64
	for seed := range uint64(5) {
		in := sphereOf(t, 20, 5, 3, seed+1)
		mean := func(model racing.Model) float64 {
			return simulate.Summarise(race(t, in, racing.Settings{Model: model},
				func(e *simulate.Experiment) { e.Runs = 60 })).Questions.Mean
		}
		plain, slots := mean(racing.Model{}), mean(racing.Model{Slots: true})
		t.Logf("seed %d: %.0f answers, with slots %.0f", seed+1, plain, slots)
		ratio += slots / plain / 5
	}
	t.Logf("%.3f times the answers", ratio)
	if !(ratio <= 1.6) {
		t.Errorf("slots take %.2f times the answers", ratio)
	}
}
