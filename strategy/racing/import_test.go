package racing_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

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
