package majority_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// TestLeaderboard: there is no leaderboard before the leader is nominated. Then it has all arms, the leader first, with
// ends that contain the truth and never move outwards while the same arm leads, and a snapshot has it too. People choose the
// middle of a square over the corners in 88% of comparisons, and every corner over another in half.
func TestLeaderboard(t *testing.T) {
	c, rng := square(t), rand.New(rand.NewPCG(1, 1))
	r := newRace(t, c, majority.Settings{K: 2, Delta: 0.01, Epsilon: 0.2, Seed: 1})
	if ranks := r.Leaderboard(); ranks != nil {
		t.Fatalf("before the first answer there are ranks %+v", ranks)
	}
	var before []strategy.Rank
	for range 200 {
		v := answerAll(t, r, steady(0, 0, 0, 0, 2), 1, 4, rng)
		ranks := r.Leaderboard()
		if ranks == nil {
			continue
		}
		if len(ranks) != 5 || ranks[0].Arm != v.Leader || ranks[0].Low != 0 || ranks[0].High != 0 {
			t.Fatalf("the leader is %d, and the ranks are %+v", v.Leader, ranks)
		}
		for _, rank := range ranks[1:] {
			share := rank.Share()
			if !(share.Low <= share.Estimate && share.Estimate <= share.High) {
				t.Errorf("the estimate is outside of the interval: %+v", share)
			}
			if v.Leader == 4 && !(share.Low <= 0.1192 && 0.1192 <= share.High) || rank.First < 1 || rank.Last > 5 {
				t.Errorf("0.1192 is outside of %+v, or the ranks are impossible: %+v", share, rank)
			}
			at := slices.IndexFunc(before, func(b strategy.Rank) bool { return b.Arm == rank.Arm })
			if at >= 0 && before[0].Arm == v.Leader && (rank.Low < before[at].Low || rank.High > before[at].High) {
				t.Errorf("the interval grows from %+v to %+v", before[at], rank)
			}
		}
		before = ranks
	}
	if before == nil || before[0].Arm != 4 {
		t.Fatalf("the last ranks are %+v", before)
	}
	restored, err := majority.Restore(c, snapshotOf(t, r))
	if err != nil {
		t.Fatal(err)
	}
	if ranks := restored.Leaderboard(); !reflect.DeepEqual(ranks, before) {
		t.Errorf("restored ranks are %+v, want %+v", ranks, before)
	}
}

// TestLeaderboardShowsRanks: where everyone compares the leader with an arm that is a little worse and one that is far
// worse, the latter is shown to have rank 3. Once it is withdrawn it has no rank, and an arm that is added has one.
func TestLeaderboardShowsRanks(t *testing.T) {
	c, rng := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, -1}), rand.New(rand.NewPCG(2, 2))
	r := newRace(t, c, majority.Settings{K: 3, Delta: 0.1, Seed: 3})
	leader := answerAll(t, r, steady(0.5, 0, -2), 20, 3, rng).Leader
	person := &crowd.Person{Utilities: []float64{0.5, 0, -2}, Rng: rng}
	for range 300 {
		for _, q := range []choice.Question{{leader, 1 - leader}, {leader, 2}} {
			if err := r.Recount(choice.Answer{Question: q, Picks: person.Pick(q, 1)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	ranks := r.Leaderboard()
	if len(ranks) != 3 || ranks[2].Arm != 2 || ranks[2].First != 3 || ranks[1].Last != 2 {
		t.Fatalf("the ranks are %+v", ranks)
	}
	extended := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, -1}, []float64{1, 1})
	if err := r.Extend(extended); err != nil {
		t.Fatal(err)
	}
	if err := r.Withdraw(2); err != nil {
		t.Fatal(err)
	}
	ranks = r.Leaderboard()
	if len(ranks) != 3 || slices.ContainsFunc(ranks, func(r strategy.Rank) bool { return r.Arm == 2 }) {
		t.Fatalf("the ranks are %+v", ranks)
	}
}

// TestShownToBeWorse: when the middle of a square is certified, which 95% of the people choose over each corner, corners are
// shown to be worse. At most half is then the upper end of their intervals, which would take more answers.
func TestShownToBeWorse(t *testing.T) {
	r, rng := newRace(t, square(t), majority.Settings{K: 3, Delta: 0.1, Epsilon: 0.2, Seed: 1}), rand.New(rand.NewPCG(1, 1))
	v := answerAll(t, r, steady(0, 0, 0, 0, 3), 30, 10, rng)
	worse := 0
	for _, rank := range r.Leaderboard() {
		if rank.Arm != v.Leader && rank.High <= 0 {
			worse++
		}
	}
	if v.Status != strategy.Certified || v.Leader != 4 || worse == 0 {
		t.Errorf("%d arms are shown to be worse than %d, which is %v", worse, v.Leader, v.Status)
	}
}
