//go:build long

package simulate_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
)

// observe makes the checks on answers to random questions of K arms, in order, by a crowd.
// Each is called after every answer.
func observe(t *testing.T, in simulate.Instance, people func(*rand.Rand) crowd.Respondent, k, answers int, seed uint64, each func(*checks.Study)) checks.Finding {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	respondent := people(rng)
	s, err := checks.NewStudy(in.Catalogue)
	if err != nil {
		t.Fatal(err)
	}
	for range answers {
		q := choice.Question(rng.Perm(in.Catalogue.Len())[:k])
		a := choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}
		if named, ok := respondent.(interface{ Name() string }); ok {
			a.Respondent = named.Name()
		}
		if err := s.Tell(a); err != nil {
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
			if f.Alarm(c) {
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
// answers in at least 90 of 100 runs, by the check for it.
func TestLongPower(t *testing.T) {
	const runs, answers = 100, 5000
	for _, check := range checks.All() {
		var mutex sync.Mutex
		noticed, when := 0, 0.0
		parallel(runs, func(run int) {
			in, people := simulate.Violation{Check: check}.Of(sphereOf(t, 6, 2, 2, 9))
			at, told := 0, 0
			f := observe(t, in, people, 4, answers, uint64(run), func(s *checks.Study) {
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
		t.Logf("%v: noticed in %d of %d runs, after %.0f answers", check, noticed, runs, when/float64(max(noticed, 1)))
		if noticed < 90 {
			t.Errorf("%v is noticed in %d of %d runs", check, noticed, runs)
		}
	}
}
