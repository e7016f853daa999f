package baseline

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"bestpick/evidence"
)

// newTraceTheBest returns Trace-the-Best by Saha and Gopalan, "PAC Battling Bandits in the Plackett–Luce Model", ALT 2019, for
// picks of one of K arms, without features. A running winner meets all other arms in batches of K arms, each asked
// (2K/ε²)·log(2N/δ) times, where ε is [evidence.Points] of Epsilon. An arm with most picks replaces the winner if it has more
// than ½ + ε/2 of the picks of either.
//
// Guarantee (their Theorem 3): if picks follow a Plackett–Luce model, which every softmax of utilities
// does, then with probability 1 − δ the arm returned is chosen over the best arm with probability more
// than ½ − ε, so that its utility is lower by less than Epsilon. The number of answers is fixed in
// advance. It finds the best arm if Epsilon is at most the gap, which is unknown in practice.
func newTraceTheBest(r *runner) (policy, error) {
	k, n := r.settings.K, r.catalogue.Len()
	switch {
	case k > n:
		return nil, fmt.Errorf( //nolint:staticcheck // K is a symbol
			"K must be at most the number of arms, got K = %d and %d arms", k, n)
	case !(r.settings.Epsilon > 0):
		return nil, errors.New("trace-the-best needs an ε above 0: it returns an arm that is within ε of the best")
	}
	return &batched{runner: r, rule: trace{}, active: r.rng.Perm(n)}, nil
}

// trace has the winner in front of the active arms, and those that it is compared with next behind it.
type trace struct{}

// plan compares the winner with the next K − 1 active arms. If fewer are left, arms of the last batch are
// shown again; queue has these in random order.
func (trace) plan(b *batched) []repeated {
	k := b.settings.K
	shown := slices.Clone(b.active[:min(k, len(b.active))])
	shown = append(shown, b.queue[:k-len(shown)]...)
	points := evidence.Points(b.settings.Epsilon)
	times := 2 * float64(k) / (points * points) * math.Log(2*float64(b.catalogue.Len())/b.settings.Delta)
	return []repeated{{shown, int(math.Ceil(min(times, maxTimes)))}}
}

// eliminate keeps the winner of the batch and the arms that have not been shown.
func (trace) eliminate(b *batched) {
	tally := b.estimate.tally
	wins := map[int]float64{}
	for i, arm := range tally.Seen() {
		wins[arm] = tally.Wins()[i]
	}
	winner, most := b.active[0], b.active[0]
	for _, arm := range tally.Seen() {
		if wins[arm] > wins[most] {
			most = arm
		}
	}
	points := evidence.Points(b.settings.Epsilon)
	if wins[most] > (0.5+points/2)*(wins[most]+wins[winner]) {
		winner = most
	}
	b.queue = slices.DeleteFunc(slices.Clone(tally.Seen()), func(arm int) bool { return arm == winner })
	b.active = append([]int{winner}, b.active[min(b.settings.K, len(b.active)):]...)
	b.rng.Shuffle(len(b.queue), func(i, j int) { b.queue[i], b.queue[j] = b.queue[j], b.queue[i] })
}
