package racing_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// catalogue of rows, with the ids a, b, ….
func catalogue(t *testing.T, rows ...[]float64) *choice.Catalogue {
	t.Helper()
	ids := make([]string, len(rows))
	for i := range ids {
		ids[i] = string(rune('a' + i))
	}
	return must(choice.NewCatalogue(ids, []string{"x", "y"}, rows))
}

// finish answers until the strategy stops.
func finish(t *testing.T, s strategy.Strategy, respondent crowd.Respondent, check func(choice.Question)) {
	t.Helper()
	for range 20_000 {
		q, err := s.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		check(q)
		if err := s.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("it does not stop")
}

// TestArmsComeAndGo: the best of the arms that are there is found, whichever came later and
// whichever has gone, with a question out all the while.
func TestArmsComeAndGo(t *testing.T) {
	rows := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0.3, -0.8}}
	theta := []float64{1, 0.2}
	few, many := catalogue(t, rows...), catalogue(t, append(slices.Clone(rows), []float64{2, 0.5}, []float64{-1, -1})...)
	r := must(racing.New(few, racing.Settings{K: 2, Seed: 3}))
	out := must(r.Ask())
	respondent := crowd.NewMNL(many, theta, rand.New(rand.NewPCG(1, 1)))
	anything := func(choice.Question) {}
	finish(t, r, respondent, anything)
	if v := r.Verdict(); v.Leader != 0 || v.Status != strategy.Certified {
		t.Fatalf("of the first four arms: %+v", v)
	}
	if err := r.Extend(many); err != nil {
		t.Fatal(err)
	}
	if err := r.Tell(choice.Answer{Question: out, Picks: []int{0}}); err != nil {
		t.Fatalf("a late answer: %v", err)
	}
	finish(t, r, respondent, anything)
	if v := r.Verdict(); v.Leader != 4 || v.Status != strategy.Certified {
		t.Fatalf("with two more: %+v", v)
	}
	if err := r.Withdraw(4); err != nil {
		t.Fatal(err)
	}
	data := must(r.Snapshot())
	restored := must(racing.Restore(many, data))
	for _, s := range []strategy.Strategy{r, restored} {
		finish(t, s, respondent, func(q choice.Question) {
			if slices.Contains(q, 4) {
				t.Fatalf("%v shows an arm that was withdrawn", q)
			}
		})
		if v := s.Verdict(); v.Leader != 0 || v.Status != strategy.Certified {
			t.Errorf("without it: %+v", v)
		}
	}
}

// TestDuelsEndWhenArmsChange: an arm may have come or gone because of the answers, and then
// which arm is best depends on them, which duels do not allow. They no longer count, also after a restart,
// and are not asked.
func TestDuelsEndWhenArmsChange(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0.6, 0.3}, []float64{-1, 0}, []float64{0.3, -0.8})
	r := must(racing.New(c, racing.Settings{K: 2, Seed: 3, Delta: 0.2}))
	respondent := crowd.NewMNL(c, []float64{1, 0.2}, rand.New(rand.NewPCG(1, 1)))
	finish(t, r, respondent, func(choice.Question) {})
	theta := []float64{0.2, 1} // the second is best
	before, duels := capital(t, r, theta), len(savedState(t, r).Duels.List)
	if err := r.Withdraw(3); err != nil {
		t.Fatal(err)
	}
	after := capital(t, r, theta)
	if duels == 0 || !(after < before) {
		t.Errorf("%d duels still count: %v, %v before", duels, after, before)
	}
	if restored := must(racing.Restore(c, must(r.Snapshot()))); capital(t, restored, theta) != after {
		t.Error("duels count again after a restart")
	}
	finish(t, r, respondent, func(choice.Question) {
		if s := savedState(t, r); s.Direct || len(s.Duels.List) != duels {
			t.Fatalf("duels go on: %+v, %d before", s, duels)
		}
	})
}

func TestArmsThatCannotComeOrGo(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	r := must(racing.New(c, racing.Settings{K: 2}))
	if r.Extend(catalogue(t, []float64{1, 0}, []float64{0, 1})) == nil {
		t.Error("an arm went by extending")
	}
	if r.Extend(c) == nil {
		t.Error("extended by nothing")
	}
	if r.Extend(catalogue(t, []float64{1, 0}, []float64{0, 2}, []float64{-1, 0}, []float64{1, 1})) == nil {
		t.Error("an arm changed by extending")
	}
	if r.Withdraw(7) == nil || r.Withdraw(-1) == nil {
		t.Error("an arm that is not there was withdrawn")
	}
	if err := r.Withdraw(2); err != nil || r.Withdraw(2) != nil {
		t.Errorf("withdrawn twice: %v", err)
	}
	if r.Withdraw(0) == nil {
		t.Error("too few arms stay")
	}
	if _, err := r.Ask(); err != nil {
		t.Error(err)
	}
	product := productOf(t, 3, 2).Catalogue
	profiles := must(racing.New(product, racing.Settings{}))
	if profiles.Withdraw(0) == nil || profiles.Extend(product) == nil {
		t.Error("profiles of a product come and go")
	}
	clicks := must(racing.New(c, racing.Settings{K: 2, Model: racing.Model{Clicks: true}}))
	if clicks.Withdraw(2) == nil || clicks.Extend(catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0},
		[]float64{1, 1})) == nil {
		t.Error("arms come and go where only duels count")
	}
}

// TestWithdrawnArmsAreNotAskedAgain, whether a question that shows them is lost before or
// after.
func TestWithdrawnArmsAreNotAskedAgain(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}, []float64{0, -1})
	r := must(racing.New(c, racing.Settings{K: 2}))
	var early, late choice.Question
	for early == nil || late == nil {
		q := must(r.Ask())
		switch {
		case slices.Contains(q, 2) && early == nil:
			early = q
		case slices.Contains(q, 2):
			late = q
		}
	}
	if err := r.Lose(early); err != nil {
		t.Fatal(err)
	}
	if err := r.Withdraw(2); err != nil {
		t.Fatal(err)
	}
	if err := r.Lose(late); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if q, err := r.Ask(); err != nil || slices.Contains(q, 2) {
			t.Errorf("%v shows an arm that was withdrawn (%v)", q, err)
		}
	}
}

// TestWithdrawBeforeAnyAnswer: there is nothing to forecast from, and nothing wrong with that.
func TestWithdrawBeforeAnyAnswer(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	r := must(racing.New(c, racing.Settings{K: 2}))
	if err := r.Withdraw(1); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Snapshot(); err != nil || r.Verdict().Forecast.Known {
		t.Errorf("%v, %+v", err, r.Verdict().Forecast)
	}
}
