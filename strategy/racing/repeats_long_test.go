//go:build long

package racing_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// importRepeats runs studies of two arms at δ = 0.1, whose answers are all imported, to questions
// that show the worse arm in two slots and the better in one. It returns how many certified the
// worse arm, in how many the capital at the truth reached 1/δ, and how many certified an arm.
func importRepeats(t *testing.T, runs, answers int, gap float64) (wrong, reached, certified int) {
	t.Helper()
	const delta = 0.1
	c := catalogue(t, []float64{0, 1}, []float64{1, 1})
	theta := []float64{gap, 0}
	for run := range uint64(runs) {
		rng := rand.New(rand.NewPCG(run, 17))
		r := must(racing.New(c, racing.Settings{K: 2, Delta: delta, Seed: run}))
		respondent := crowd.NewMNL(c, theta, rng)
		over := false
		for i := 0; i < answers && r.Verdict().Status == strategy.Asking; i++ {
			q := choice.Question{0, 1, 0}
			if err := r.Import(choice.Answer{Question: q, Picks: respondent.Pick(q, 1+i%3)}); err != nil {
				t.Fatal(err)
			}
			over = over || capital(t, r, theta) >= math.Log(1/delta)
		}
		if over {
			reached++
		}
		if v := r.Verdict(); v.Status == strategy.Certified {
			certified++
			wrong += 1 - v.Leader
		}
	}
	return wrong, reached, certified
}

// TestLongRepeatsKeepTheGuarantee: of 1,000 studies at most δ = 0.1 certify the worse of two arms, or have
// a capital of 1/δ at the truth. By Ville's inequality the counts are at most binomial with a mean
// of 100 and a standard deviation of 9.5. Seeds are fixed, and
// the capital that is not yet at work keeps the true rates below a half of δ, so that the mean,
// not the mean and some deviations, is the limit. A duel that counts every pick certifies the
// worse arm in more than 150 of these studies.
func TestLongRepeatsKeepTheGuarantee(t *testing.T) {
	const runs, answers = 1000, 5000
	for name, gap := range map[string]float64{"nearly tied": 0.01, "far apart": 1} {
		wrong, reached, certified := importRepeats(t, runs, answers, gap)
		t.Logf("%s: of %d studies %d are wrong, the capital reached 1/δ in %d, %d certified", name, runs, wrong, reached, certified)
		if wrong > runs/10 || reached > runs/10 || gap == 1 && certified < runs*9/10 {
			t.Errorf("%s: %d are wrong, the capital reached 1/δ in %d, %d certified", name, wrong, reached, certified)
		}
	}
}
