package racing_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestTop: at this seed the two best of five arms, one with a copy, and the ranking of all are right. With one
// best arm Top changes nothing.
func TestTop(t *testing.T) {
	c := catalogue(t, []float64{0, 0}, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}, []float64{1, 0.8}, []float64{-1, 0})
	theta := []float64{2, 1}
	run := func(top int) (v strategy.Verdict, answers int) {
		r := must(racing.New(c, racing.Settings{Seed: 3, LinearOnly: racing.LinearOnly{Top: top}}))
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
	r := must(racing.New(c, racing.Settings{Seed: 1, LinearOnly: racing.LinearOnly{Top: 2}}))
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
	r = must(racing.New(c, racing.Settings{LinearOnly: racing.LinearOnly{Top: 4}}))
	if err := r.Withdraw(0); err == nil || !strings.Contains(err.Error(), "more than 4 arms must remain") {
		t.Errorf("withdrawn: %v", err)
	}
}
