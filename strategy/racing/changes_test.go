package racing_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/strategy/strategytest"
)

// catalogue of rows of at most five features, with the ids a, b, ….
func catalogue(t *testing.T, rows ...[]float64) *choice.Catalogue {
	t.Helper()
	ids := make([]string, len(rows))
	for i := range ids {
		ids[i] = string(rune('a' + i))
	}
	return must(choice.NewCatalogue(ids, []string{"x", "y", "z", "u", "v"}[:len(rows[0])], rows))
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

// restored is [racing.Restore] for the suite.
func restored(c *choice.Catalogue, data []byte) (strategy.Strategy, error) {
	return racing.Restore(c, data)
}

func TestConformance(t *testing.T) {
	subject := func(settings racing.Settings) strategytest.Subject {
		return strategytest.Subject{
			New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
				settings.K, settings.Seed, settings.Delta = k, seed, 0.1
				return racing.New(c, settings)
			},
			Restore: restored, K: []int{3}, Questions: 400 / racing.Fewer,
		}
	}
	for name, settings := range map[string]racing.Settings{
		"slots":      {Model: racing.Model{Slots: true}},
		"intercepts": {Model: racing.Model{Intercepts: true}},
		"clicks":     {Model: racing.Model{Clicks: true, Slots: true}},
		"verify":     {LinearOnly: racing.LinearOnly{Verify: 0.5}},
		"budget":     {LinearOnly: racing.LinearOnly{Budget: 100}},
		"majority":   {Assume: strategy.Majority, Epsilon: 0.2},
		"fallback":   {Epsilon: 0.2, LinearOnly: racing.LinearOnly{Fallback: 0.25}},
	} {
		t.Run(name, func(t *testing.T) { strategytest.Run(t, subject(settings)) })
	}
	for name, settings := range map[string]racing.Settings{
		"top":              {Top: 2},
		"ranking":          {Top: racing.TopAll},
		"tolerant ranking": {Epsilon: 0.3, Top: racing.TopAll},
		"top with slots":   {Model: racing.Model{Slots: true}, Top: 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := subject(settings)
			s.Questions = 150
			strategytest.Run(t, s)
		})
	}
	for name, offer := range map[string]choice.Offer{
		"outside":    {Outside: true},
		"best-worst": {BestWorst: true},
		"ties":       {Ties: true},
		"all offers": {Outside: true, BestWorst: true, Ties: true},
	} {
		s := subject(racing.Settings{Offer: offer})
		s.Offer, s.Questions = offer, 150
		t.Run(name, func(t *testing.T) { strategytest.Run(t, s) })
	}
	t.Run("offers under majority", func(t *testing.T) {
		offer := choice.Offer{Outside: true, BestWorst: true, Ties: true}
		s := subject(racing.Settings{Offer: offer, Assume: strategy.Majority, Epsilon: 0.2})
		s.Offer, s.Questions = offer, 150
		strategytest.Run(t, s)
	})
	t.Run("plain", func(t *testing.T) {
		s := subject(racing.Settings{})
		s.K = []int{2, 3}
		strategytest.Run(t, s)
	})
	t.Run("tilts", func(t *testing.T) {
		s := subject(racing.Settings{})
		s.Instances = map[string]strategytest.Instance{"many for their features": veryMany(t, 12, 3)}
		strategytest.Run(t, s)
	})
	t.Run("a product and very many", func(t *testing.T) {
		s := subject(racing.Settings{})
		s.Questions, s.Instances = 70, map[string]strategytest.Instance{
			"a product":   productOf(t, 3, 2, 4),
			"two by two":  productOf(t, 2, 2),
			"a large one": productOf(t, 5, 5, 5, 5, 5),
			"very many":   veryMany(t, 5000, 3),
		}
		strategytest.Run(t, s)
	})
}

// snapshotted returns a snapshot of a strategy over three arms, with an answer told, a question
// lost and one outstanding.
func snapshotted(tb testing.TB, c *choice.Catalogue) []byte {
	tb.Helper()
	s := must(racing.New(c, racing.Settings{}))
	for i := range 9 {
		q, err := s.Ask()
		switch i {
		case 7:
			err = s.Lose(q)
		case 8: // outstanding
		default:
			err = s.Tell(choice.Answer{Question: q, Picks: []int{1}, Respondent: "r"})
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return must(s.Snapshot())
}

func threeArms(tb testing.TB) *choice.Catalogue {
	tb.Helper()
	return must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {0.5, 0.5}}))
}

// TestRestoreRefusesChanges: one changed bit anywhere in a snapshot makes Restore return an error.
func TestRestoreRefusesChanges(t *testing.T) {
	c := threeArms(t)
	data := snapshotted(t, c)
	if _, err := racing.Restore(c, data); err != nil {
		t.Fatal(err)
	}
	for at := range data {
		changed := bytes.Clone(data)
		changed[at] ^= 1
		if _, err := racing.Restore(c, changed); !errors.Is(err, strategy.ErrSnapshot) {
			t.Fatalf("byte %d of %d was changed: %v", at, len(data), err)
		}
	}
}

// TestRestoreRefusesOthers: neither snapshots over another catalogue, nor of another version or of
// the version before envelopes are restored.
func TestRestoreRefusesOthers(t *testing.T) {
	c := threeArms(t)
	data := snapshotted(t, c)
	two := must(choice.NewCatalogue([]string{"a", "b"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}}))
	other := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{1}, {0}, {0.5}}))
	for name, c := range map[string]*choice.Catalogue{"two arms": two, "one feature": other} {
		if _, err := racing.Restore(c, data); !errors.Is(err, strategy.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{
		"", "{}", "null", `{"strategy":"racing","version":1}`, `{"name":"racing","settings":{"k":3},"state":{}}`,
		string(bytes.Replace(data, []byte(`"version":1`), []byte(`"version":2`), 1)),
	} {
		if r, err := racing.Restore(c, []byte(text)); !errors.Is(err, strategy.ErrSnapshot) || r != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// FuzzRestore: arbitrary bytes are refused, or give a strategy that can be asked and told without a
// panic.
func FuzzRestore(f *testing.F) {
	c := threeArms(f)
	data := snapshotted(f, c)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(`{"strategy":"racing","version":1,"sha256":"","state":null}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		s, err := racing.Restore(c, data)
		if err != nil {
			return
		}
		for range 3 {
			q, err := s.Ask()
			if err != nil {
				return
			}
			if err := s.Tell(choice.Answer{Question: q, Picks: []int{0}}); err != nil {
				return
			}
		}
		s.Verdict()
	})
}
