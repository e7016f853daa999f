package racing_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
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
		"top": {Top: 2},
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

// TestTop: at this seed the two best of five arms, one with a copy, and the ranking of all are right. With one
// best arm Top changes nothing.
func TestTop(t *testing.T) {
	c := catalogue(t, []float64{0, 0}, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}, []float64{1, 0.8}, []float64{-1, 0})
	theta := []float64{2, 1}
	run := func(top int) (v strategy.Verdict, answers int) {
		r := must(racing.New(c, racing.Settings{Seed: 3, Top: top}))
		racing.AnswerUntil(t, r, crowd.NewMNL(c, theta, rand.New(rand.NewPCG(4, 4))), 20_000)
		return r.Verdict(), r.Verdict().Answered
	}
	one, fewest := run(0)
	same, answers := run(1)
	if one.Leader != 4 || same.Leader != 4 || answers != fewest || same.Top != nil {
		t.Errorf("one best arm: %+v and %+v", one, same)
	}
	two, answers := run(2)
	slices.Sort(two.Top)
	if two.Status != strategy.Certified || !slices.Equal(two.Top, []int{1, 4}) || two.Elimination.Rivals != 0 ||
		two.Elimination.Eliminated != 4 {
		t.Errorf("two best arms after %d answers: %+v", answers, two)
	}
	all, answers := run(racing.TopAll)
	if all.Status != strategy.Certified || !slices.Equal(all.Top, []int{4, 1, 2, 0, 3, 5}) {
		t.Errorf("a ranking after %d answers: %+v", answers, all)
	}
}

// TestTopWithChangedArms: arms may come and go while several best arms are sought, as long as others remain.
func TestTopWithChangedArms(t *testing.T) {
	rows := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {2, 0.5}, {-1, -1}}
	c, all := catalogue(t, rows[:5]...), catalogue(t, rows...)
	r := must(racing.New(c, racing.Settings{Seed: 1, Top: 2}))
	theta := []float64{1.5, 1}
	racing.AnswerUntil(t, r, crowd.NewMNL(c, theta, rand.New(rand.NewPCG(1, 5))), 40)
	if err := r.Extend(all); err != nil {
		t.Fatal(err)
	}
	if err := r.Withdraw(0); err != nil {
		t.Fatal(err)
	}
	racing.AnswerUntil(t, r, crowd.NewMNL(all, theta, rand.New(rand.NewPCG(2, 5))), 20_000)
	v := r.Verdict()
	slices.Sort(v.Top)
	if v.Status != strategy.Certified || !slices.Equal(v.Top, []int{1, 4}) {
		t.Errorf("%+v", v)
	}
	r = must(racing.New(c, racing.Settings{Top: 4}))
	if err := r.Withdraw(0); err == nil || !strings.Contains(err.Error(), "more than 4 arms must remain") {
		t.Errorf("withdrawn: %v", err)
	}
}

// TestLeaderboard: a race that certifies ranks all arms that are not withdrawn, the leader first and
// alone at rank 1, with intervals that contain the truth at this seed. A restored race has the same
// leaderboard.
func TestLeaderboard(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}, []float64{0.3, -0.9}, []float64{0, 1})
	theta := []float64{2, 0.7}
	r := must(racing.New(c, racing.Settings{Seed: 5}))
	if err := r.Withdraw(3); err != nil {
		t.Fatal(err)
	}
	racing.AnswerUntil(t, r, crowd.NewMNL(c, theta, rand.New(rand.NewPCG(1, 2))), 5000)
	v, ranks := r.Verdict(), leaderboard(r)
	if v.Status != strategy.Certified || v.Leader != 0 || len(ranks) != 4 {
		t.Fatalf("%v, leader %d, %d ranks", v.Status, v.Leader, len(ranks))
	}
	if ranks[0] != (strategy.Rank{First: 1, Last: 1}) {
		t.Errorf("the leader has %+v", ranks[0])
	}
	approx.Equal(t, "share of the leader", ranks[0].Share().Estimate, 0.5, 1e-15)
	for at, rank := range ranks[1:] {
		truth := c.Utility(rank.Arm, theta) - c.Utility(0, theta)
		if !(rank.Low <= truth && truth <= rank.High) || !(rank.Low <= rank.Utility && rank.Utility <= rank.High) {
			t.Errorf("%+v does not contain %v", rank, truth)
		}
		if rank.First < 2 || rank.Last < rank.First || rank.Last > 4 || rank.High > 0 || rank.Utility > ranks[at].Utility {
			t.Errorf("%+v after %+v", rank, ranks[at])
		}
		if share := rank.Share(); !(share.Low <= share.Estimate && share.Estimate <= share.High && share.High <= 0.5) {
			t.Errorf("%+v has %+v", rank, share)
		}
	}
	if last := ranks[3]; last.Arm != 2 || last.First < 2 || last.High >= 0 {
		t.Errorf("the worst arm has %+v", last)
	}
	data := must(r.Snapshot())
	copied := must(racing.Restore(c, data))
	if got := leaderboard(copied); fmt.Sprint(got) != fmt.Sprint(ranks) {
		t.Errorf("restored: %v, was %v", got, ranks)
	}
}

// TestLeaderboardBeforeEvidence: without evidence every rank is possible.
func TestLeaderboardBeforeEvidence(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	r := must(racing.New(c, racing.Settings{}))
	racing.AnswerUntil(t, r, crowd.NewMNL(c, []float64{1, 1}, rand.New(rand.NewPCG(1, 1))), 1)
	ranks := leaderboard(r)
	if len(ranks) != 3 {
		t.Fatalf("%d ranks", len(ranks))
	}
	for _, rank := range ranks {
		if rank.First != 1 || rank.Last != 3 {
			t.Errorf("%+v after one answer", rank)
		}
	}
}

// TestNoLeaderboard: majority evidence, clicks in the model, products and very many arms have none.
func TestNoLeaderboard(t *testing.T) {
	few := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	for name, c := range map[string]struct {
		arms     *choice.Catalogue
		settings racing.Settings
	}{
		"majority": {few, racing.Settings{Assume: strategy.Majority, Epsilon: 0.2}},
		"clicks":   {few, racing.Settings{Model: racing.Model{Clicks: true}}},
		"product":  {productOf(t, 3, 2).Catalogue, racing.Settings{}},
		"many":     {veryMany(t, 101, 2).Catalogue, racing.Settings{}},
	} {
		r := must(racing.New(c.arms, c.settings))
		if ranks := leaderboard(r); ranks != nil {
			t.Errorf("%s: %v", name, ranks)
		}
	}
}
