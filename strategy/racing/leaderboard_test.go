package racing_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

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
