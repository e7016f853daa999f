package simulate_test

import (
	"sync"
	"testing"

	"bestpick/evidence"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

const closingDelta = 0.1

// closings runs studies whose owner wants a wrong arm and closes at the best moment for it. Closing settles nothing,
// so that the owner publishes the verdict of this moment: the race looks after every answer. It counts the runs with a
// moment at which the certificate, or what is proven without one, is false. People come while others answer.
func closings(t *testing.T, kind simulate.Trouble, n, runs, answers int) (wrong int) {
	t.Helper()
	in, crowd, err := kind.Of(n)
	if err != nil {
		t.Fatal(err)
	}
	var lock sync.Mutex
	deceived := map[int]bool{}
	e := simulate.Experiment{
		Instance: in, Crowd: crowd, Picks: 2, Epsilon: 0.2, Runs: runs, Seed: 1, MaxQuestions: answers, Arrivals: 4,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(in.Catalogue, racing.Settings{
				K: 3, Delta: closingDelta, Epsilon: 0.2, Assume: strategy.Majority, LookEvery: -1, Seed: seed,
			})
		},
		Each: func(r, _ int, s strategy.Strategy) {
			v := s.Verdict()
			if v.Proven.Share > 0 && !in.IsMajorityBest(v.Proven.Arm, v.Proven.Share-0.5) ||
				v.Status == strategy.Certified && !in.IsMajorityBest(v.Leader, evidence.Points(0.2)) {
				lock.Lock()
				defer lock.Unlock()
				deceived[r] = true
			}
		},
	}
	must(e.Run(t.Context()))
	return len(deceived)
}

// TestOwnerCloses: an owner who closes at the best moment publishes something false in at most δ of the runs. With
// 20 runs at δ = 0.1 more than 5 have a probability of 1.1% at most.
func TestOwnerCloses(t *testing.T) {
	for _, kind := range []simulate.Trouble{{Kind: "pace"}, {Kind: "leavers", Strength: 2}} {
		if wrong := closings(t, kind, 3, 20, 150); wrong > 5 {
			t.Errorf("%s: %d of 20 runs", kind.Kind, wrong)
		}
	}
}
