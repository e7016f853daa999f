package racing_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/strategy/strategytest"
)

// recorded returns picks of people with a given θ in questions of random pairs.
func recorded(tb testing.TB, c *choice.Catalogue, theta []float64, answers int) *choice.Tally {
	tb.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	people, tally := crowd.NewMNL(c, theta, rng), choice.NewTally(c.Len())
	for range answers {
		q := choice.Question(rng.Perm(c.Len())[:2])
		if err := tally.Add(choice.Answer{Question: q, Picks: people.Pick(q, 1)}); err != nil {
			tb.Fatal(err)
		}
	}
	return tally
}

func priorOf(tb testing.TB, c *choice.Catalogue, tally *choice.Tally) *racing.Prior {
	tb.Helper()
	return must(racing.NewPrior(c, tally))
}

// TestPriorConformance: a race with a prior, right or wrong, is restored and replayed like any other.
func TestPriorConformance(t *testing.T) {
	for name, sign := range map[string]float64{"right": 1, "wrong": -1} {
		t.Run(name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{
				New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
					theta := make([]float64, c.Dim())
					for i := range theta {
						theta[i] = sign * float64(2-i)
					}
					settings := racing.Settings{K: k, Seed: seed, Delta: 0.1}
					settings.Prior = priorOf(t, c, recorded(t, c, theta, 200))
					return racing.New(c, settings)
				},
				Restore: restored, K: []int{3}, Questions: 200,
			})
		})
	}
}

// TestPriorGuides: before the first answer the leader is the best arm of the recorded choices, in any units
// of the features, and there is no evidence.
func TestPriorGuides(t *testing.T) {
	rows := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0.7, 0.7}, {0.2, 0.1}}
	for _, unit := range []float64{1, 1e6} {
		scaled := make([][]float64, len(rows))
		for i, row := range rows {
			scaled[i] = []float64{row[0] * unit, row[1] + 5}
		}
		c := catalogue(t, scaled...)
		theta := []float64{-2 / unit, 0.5}
		with := must(racing.New(c, racing.Settings{LinearOnly: racing.LinearOnly{Prior: priorOf(t, c, recorded(t, c, theta, 2000))}}))
		without := must(racing.New(c, racing.Settings{}))
		if v := with.Verdict(); v.Leader != 2 || v.Status != strategy.Asking || len(v.Contenders) != 6 {
			t.Errorf("unit %g: %+v", unit, v)
		}
		approx.Equal(t, "capital", capital(t, with, theta), capital(t, without, theta), 1e-12)
	}
}

// TestPriorSurvivesExtend: arms that are added change the coordinates, not what the prior says.
func TestPriorSurvivesExtend(t *testing.T) {
	rows := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	c := catalogue(t, rows...)
	prior := priorOf(t, c, recorded(t, c, []float64{1, 3}, 2000))
	r := must(racing.New(c, racing.Settings{LinearOnly: racing.LinearOnly{Prior: prior}}))
	if err := r.Extend(catalogue(t, append(rows, []float64{0.5, 2})...)); err != nil {
		t.Fatal(err)
	}
	if leader := r.Verdict().Leader; leader != 4 {
		t.Errorf("arm %d leads, want the new one", leader)
	}
}

// TestPriorRefusals: priors that do not suit the arms are refused.
func TestPriorRefusals(t *testing.T) {
	c := threeArms(t)
	good := *priorOf(t, c, recorded(t, c, []float64{1, 0}, 100))
	with := func(change func(*racing.Prior)) racing.Settings {
		p := racing.Prior{Score: slices.Clone(good.Score), Information: slices.Clone(good.Information), Picks: good.Picks}
		change(&p)
		return racing.Settings{LinearOnly: racing.LinearOnly{Prior: &p}}
	}
	for want, settings := range map[string]racing.Settings{
		"2 features":             with(func(p *racing.Prior) { p.Score = p.Score[:1] }),
		"numbers of information": with(func(p *racing.Prior) { p.Information = append(p.Information, 1) }),
		"finite":                 with(func(p *racing.Prior) { p.Score[0] = math.NaN() }),
		"semi-definite":          with(func(p *racing.Prior) { p.Information[0] = -1 }),
		"positive number":        with(func(p *racing.Prior) { p.Picks = 0 }),
	} {
		if _, err := racing.New(c, settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := racing.NewPrior(c, choice.NewTally(3)); err == nil {
		t.Error("a prior without choices was accepted")
	}
}

// TestWrongPriorIsDropped: a prior of people with −θ delays the decision a little and does not change it.
func TestWrongPriorIsDropped(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	var rows [][]float64
	for range 8 {
		rows = append(rows, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	c, theta := catalogue(t, rows...), []float64{2, 1}
	best := 0
	for arm := range c.Len() {
		if c.Utility(arm, theta) > c.Utility(best, theta) {
			best = arm
		}
	}
	prior := priorOf(t, c, recorded(t, c, []float64{-2, -1}, 2000))
	r := must(racing.New(c, racing.Settings{LinearOnly: racing.LinearOnly{Prior: prior}}))
	finish(t, r, crowd.NewMNL(c, theta, rng), func(choice.Question) {})
	if v := r.Verdict(); v.Status != strategy.Certified || v.Leader != best {
		t.Errorf("%v, arm %d leads after %d answers, the best is %d", v.Status, v.Leader, v.Answered, best)
	}
}

// TestImport: the evidence is the same, to the bit, whether an answer is to a question that was
// asked here or elsewhere, and the study goes on to the same end.
func TestImport(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}, []float64{0.7, 0.6})
	theta := []float64{3, 0.5}
	asking := must(racing.New(c, racing.Settings{K: 3, Seed: 4}))
	importing := must(racing.New(c, racing.Settings{K: 3, Seed: 4}))
	respondent := crowd.NewMNL(c, theta, rand.New(rand.NewPCG(1, 1)))
	for asking.Verdict().Status == strategy.Asking {
		q := must(asking.Ask())
		answer := choice.Answer{Question: q, Picks: respondent.Pick(q, 2)}
		if err := asking.Tell(answer); err != nil {
			t.Fatal(err)
		}
		if err := importing.Import(answer); err != nil {
			t.Fatal(err)
		}
		approx.Equal(t, "capital", capital(t, importing, theta), capital(t, asking, theta), 0)
	}
	got, want := importing.Verdict(), asking.Verdict()
	if got.Status != want.Status || got.Leader != want.Leader || got.Answered != want.Answered || got.Asked != want.Asked {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestImportRefuses what the model does not allow, and counts nothing of it.
func TestImportRefuses(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	fine := choice.Answer{Question: choice.Question{0, 1, 2}, Picks: []int{0}}
	for name, test := range map[string]struct {
		model  racing.Model
		answer choice.Answer
	}{
		"slots":   {racing.Model{Slots: true}, fine},
		"clicks":  {racing.Model{Clicks: true}, fine},
		"segment": {racing.Model{Segments: []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 1}}}, fine},
		"arm":     {answer: choice.Answer{Question: choice.Question{0, 3}, Picks: []int{0}}},
		"picks":   {answer: choice.Answer{Question: choice.Question{0, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := must(racing.New(c, racing.Settings{K: 3, Model: test.model}))
			if err := r.Import(test.answer); err == nil || r.Verdict().Answered != 0 || r.Verdict().Asked != 0 {
				t.Errorf("%v, %+v", err, r.Verdict())
			}
		})
	}
}

// TestRecount: under every model a strategy that begins anew, with another seed, comes to the same
// verdict from the answers to the questions of the one before, and asks on.
func TestRecount(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}, []float64{0.7, 0.6})
	segments := []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 2}}
	for name, model := range map[string]racing.Model{
		"plain": {}, "slots": {Slots: true}, "clicks": {Clicks: true}, "intercepts": {Intercepts: true},
		"segments": {Segments: segments},
	} {
		t.Run(name, func(t *testing.T) {
			before := must(racing.New(c, racing.Settings{K: 3, Seed: 4, Model: model}))
			afresh := must(racing.New(c, racing.Settings{K: 3, Seed: 5, Model: model}))
			respondent := crowd.NewMNL(c, []float64{1, 0.5}, rand.New(rand.NewPCG(1, 1)))
			for i := range 150 {
				q := must(before.Ask())
				answer := choice.Answer{Question: q, Picks: respondent.Pick(q, 1), Segment: segments[i%2].Name}
				if err := before.Tell(answer); err != nil {
					t.Fatal(err)
				}
				if err := afresh.Recount(answer); err != nil {
					t.Fatal(err)
				}
			}
			got, want := afresh.Verdict(), before.Verdict()
			if got.Status != want.Status || got.Leader != want.Leader || got.Answered != want.Answered ||
				len(got.Standings) != len(want.Standings) {
				t.Fatalf("%+v, want %+v", got, want)
			}
			for i, s := range got.Standings {
				approx.Equal(t, "evidence", s.Evidence, want.Standings[i].Evidence, 0)
			}
			if _, err := afresh.Ask(); err != nil {
				t.Error(err)
			}
		})
	}
}
