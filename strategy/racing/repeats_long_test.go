//go:build long

package racing_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// TestLongValidityInTheField: 600 runs at δ = 0.1 with up to ten questions out, answers in
// any order, one in ten lost, and half of the arms added midway. Wrong verdicts, and runs in
// which the capital at the truth ever reached 1/δ, are at most a tenth.
func TestLongValidityInTheField(t *testing.T) {
	const delta, runs = 0.1, 600
	wrong, reached, stopped := 0, 0, 0
	for run := range uint64(runs) {
		rng := rand.New(rand.NewPCG(run, 7))
		n, theta := 6+rng.IntN(5), []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64(), rng.NormFloat64()}
		rows, ids := make([][]float64, n), make([]string, n)
		for i := range rows {
			ids[i], rows[i] = fmt.Sprint("a", i), []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		}
		all := must(choice.NewCatalogue(ids, []string{"x", "y", "z"}, rows))
		half := must(choice.NewCatalogue(ids[:n/2], []string{"x", "y", "z"}, rows[:n/2]))
		r := must(racing.New(half, racing.Settings{K: 2 + rng.IntN(2), Delta: delta, Seed: run}))
		over, done := inTheField(t, r, all, theta, rng, math.Log(1/delta))
		if over {
			reached++
		}
		if done {
			stopped++
			leader := r.Verdict().Leader
			for arm := range n {
				if all.Utility(arm, theta) > all.Utility(leader, theta)+1e-12 {
					wrong++
					break
				}
			}
		}
	}
	t.Logf("%d runs, %d stopped, %d wrong, the capital reached 1/δ in %d", runs, stopped, wrong, reached)
	if stopped < runs/2 || wrong > runs/10 || reached > runs/10 {
		t.Errorf("%d runs, %d stopped, %d wrong, the capital reached 1/δ in %d", runs, stopped, wrong, reached)
	}
}

// inTheField runs a study of 1,500 questions at most.
func inTheField(t *testing.T, r racing.Race, all *choice.Catalogue, theta []float64, rng *rand.Rand,
	threshold float64,
) (over, done bool) {
	t.Helper()
	respondent := crowd.NewMNL(all, theta, rng)
	var out []choice.Question
	for asked := range 1500 {
		if asked == 60 {
			if err := r.Extend(all); err != nil {
				t.Fatal(err)
			}
		}
		q, err := r.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			if asked >= 60 {
				return over, true
			}
			continue // more arms are coming
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, q)
		for len(out) > rng.IntN(10) {
			at := rng.IntN(len(out))
			q := out[at]
			out = slices.Delete(out, at, at+1)
			if rng.IntN(10) == 0 {
				err = r.Lose(q)
			} else {
				err = r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)})
			}
			if err != nil {
				t.Fatal(err)
			}
			over = over || asked >= 60 && capital(t, r, theta) >= threshold
		}
	}
	return over, false
}
