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
