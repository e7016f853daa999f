package racing_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestCertifiedEpsilon: the smallest certified ε falls with more answers, and a race that is certified states
// the ε of its settings. A restored race states the same.
func TestCertifiedEpsilon(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0.9, 0.3}, []float64{-1, 0}, []float64{0, 1})
	theta := []float64{2, 0.5}
	respondent := crowd.NewMNL(c, theta, rand.New(rand.NewPCG(3, 2)))
	r := must(racing.New(c, racing.Settings{Seed: 2, Epsilon: 0.02}))
	before := 50.0
	for _, answers := range []int{60, 240, 900} {
		racing.AnswerUntil(t, r, respondent, answers)
		epsilon, ok := certifiedEpsilon(r)
		if !ok || !(epsilon < before) || r.Verdict().Status != strategy.Asking {
			t.Fatalf("ε = %v after %v, %v", epsilon, before, r.Verdict().Status)
		}
		best := max(c.Utility(0, theta), c.Utility(1, theta))
		if !(best-c.Utility(r.Verdict().Leader, theta) <= epsilon) {
			t.Errorf("ε = %v does not hold", epsilon)
		}
		data := must(r.Snapshot())
		copied := must(racing.Restore(c, data))
		if again, _ := certifiedEpsilon(copied); again != epsilon {
			t.Errorf("ε = %v, restored %v", epsilon, again)
		}
		before = epsilon
	}
	certified := must(racing.New(c, racing.Settings{Seed: 2, Epsilon: 3}))
	racing.AnswerUntil(t, certified, respondent, 5000)
	epsilon, ok := certifiedEpsilon(certified)
	if approx.Equal(t, "ε of a certified race", epsilon, 3, 0); !ok {
		t.Error("a certified race states no ε")
	}
}

// TestNoCertifiedEpsilon: majority evidence, clicks and Top state none.
func TestNoCertifiedEpsilon(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	for name, settings := range map[string]racing.Settings{
		"majority": {Assume: strategy.Majority, Epsilon: 0.2}, "clicks": {Model: racing.Model{Clicks: true}},
		"top": {LinearOnly: racing.LinearOnly{Top: 2}},
	} {
		r := must(racing.New(c, settings))
		racing.AnswerUntil(t, r, crowd.NewMNL(c, []float64{1, 0}, rand.New(rand.NewPCG(1, 2))), 20)
		if epsilon, ok := certifiedEpsilon(r); ok {
			t.Errorf("%s: ε = %v", name, epsilon)
		}
	}
}

// TestCertifiedEpsilonOfProduct: the ε of a product is at least what the best profile is better by.
func TestCertifiedEpsilonOfProduct(t *testing.T) {
	in := productOf(t, 3, 2, 4)
	r := must(racing.New(in.Catalogue, racing.Settings{Seed: 1}))
	racing.AnswerUntil(t, r, crowd.NewMNL(in.Catalogue, in.Theta, rand.New(rand.NewPCG(1, 9))), 150)
	epsilon, ok := certifiedEpsilon(r)
	if !ok {
		t.Fatal("no ε")
	}
	leader := in.Catalogue.Utility(r.Verdict().Leader, in.Theta)
	for arm := range in.Catalogue.Len() {
		if better := in.Catalogue.Utility(arm, in.Theta) - leader; better > epsilon+1e-9 {
			t.Errorf("profile %d is better by %v, not by at most %v", arm, better, epsilon)
		}
	}
}
