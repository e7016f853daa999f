package racing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
)

// randomArms are n random arms in d dimensions.
func randomArms(tb testing.TB, rng *rand.Rand, n, d int) *choice.Catalogue {
	tb.Helper()
	ids, features, rows := make([]string, n), make([]string, d), make([][]float64, n)
	for k := range features {
		features[k] = string(rune('a' + k))
	}
	for i := range rows {
		ids[i] = string(rune('A' + i))
		for range d {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	return must(choice.NewCatalogue(ids, features, rows))
}

// TestManyEliminatedByDefinition: with an active set of a few arms only, an eliminated arm, in the
// set or not, has a capital of 1/δ at every θ of a grid under which it is best, and better
// than the leader by ε. Nothing is certified before all are.
func TestManyEliminatedByDefinition(t *testing.T) {
	const delta, n = 0.2, 30
	small := lookSizes{few: 2, doubtful: 2, random: 1}
	gone, outside, certified := 0, 0, 0
	for run := range uint64(40) {
		rng := rand.New(rand.NewPCG(run, 5))
		c := randomArms(t, rng, n, 2)
		if run%3 == 0 {
			c = withNeighbours(t, c, 0.01)
		}
		epsilon := []float64{0, 0.4}[run%2]
		r := must(newLinear(c, Settings{K: 3, Delta: delta, Epsilon: epsilon, Seed: run}, small))
		respondent := crowd.NewMNL(c, []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}, rng)
		for range 400 {
			before := slices.Clone(r.state.Memory.Eliminated)
			leader := r.state.Leader
			if !AnswerOne(t, r, respondent, 1) {
				break
			}
			for arm := range n {
				if !r.state.Memory.Eliminated.has(arm) || leader == r.state.Leader && before[0]>>arm&1 == 1 {
					continue
				}
				gone++
				if !r.leads.has(arm) {
					outside++
				}
				if least := leastCapital(r, c, arm, epsilon); !(least >= math.Log(1/delta)) {
					t.Fatalf("run %d: arm %d is eliminated with a capital of exp %v", run, arm, least)
				}
			}
			left := 0
			for arm := range n {
				if arm != r.state.Leader && !r.state.Memory.Eliminated.has(arm) {
					left++
				}
			}
			if listed := len(r.Verdict().Contenders) - 1 + r.state.Standings.Others; listed != left && !r.state.Decided {
				t.Fatalf("run %d: %d arms are not eliminated, %d are said to be", run, left, listed)
			}
			if r.state.Decided {
				certified++
				if left > 0 {
					t.Fatalf("run %d: certified with %d arms left", run, left)
				}
			}
		}
	}
	if gone < 500 || outside < 100 || certified < 10 {
		t.Errorf("%d eliminated, %d outside of the active set, %d certified", gone, outside, certified)
	}
}

// withNeighbours moves every other arm next to the one before it.
func withNeighbours(tb testing.TB, c *choice.Catalogue, distance float64) *choice.Catalogue {
	tb.Helper()
	ids, rows := make([]string, c.Len()), make([][]float64, c.Len())
	for arm := range rows {
		ids[arm], rows[arm] = c.ID(arm), slices.Clone(c.Arm(arm-arm%2))
		rows[arm][0] += distance * float64(arm%2)
	}
	return must(choice.NewCatalogue(ids, c.Features(), rows))
}

// leastCapital is the least over a grid of θ under which an arm is best by definition.
func leastCapital(r *Linear, c *choice.Catalogue, arm int, epsilon float64) float64 {
	least := math.Inf(1)
	for x := -8.0; x <= 8; x += 0.5 {
		for y := -8.0; y <= 8; y += 0.5 {
			theta := []float64{x, y}
			u := c.Utility(arm, theta)
			best := u-c.Utility(r.state.Leader, theta) >= epsilon
			for other := range c.Len() {
				best = best && (other == arm || c.Utility(other, theta) < u)
			}
			if best {
				least = min(least, r.Capital(theta))
			}
		}
	}
	return least
}

// A strategy with an active set of a few arms comes to the same leader as one that weighs all, and
// a restored one goes on the same.
func TestManyIsLikeFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	c, theta := randomArms(t, rng, 40, 3), []float64{2, -1, 1}
	size := lookSizes{few: 2, doubtful: 6, random: 2}
	for seed := range uint64(4) {
		many := must(newLinear(c, Settings{K: 3, Seed: seed}, size))
		few := must(newLinear(c, Settings{K: 3, Seed: seed}, defaultLookSizes()))
		for _, r := range []*Linear{many, few} {
			respondent := crowd.NewMNL(c, theta, rand.New(rand.NewPCG(seed, 6)))
			for range 6000 {
				if !AnswerOne(t, r, respondent, 1) {
					break
				}
				if r == many && r.state.Course.Answered%100 == 0 {
					data := must(r.Snapshot())
					copied := must(restoreLinear(c, data, size))
					many, r = copied, copied
				}
			}
		}
		a, b := many.Verdict(), few.Verdict()
		if a.Status != strategy.Certified || b.Status != strategy.Certified || a.Leader != b.Leader {
			t.Errorf("seed %d: %v, %d after %d answers; all weighed %v, %d after %d", seed, a.Status, a.Leader, a.Answered,
				b.Status, b.Leader, b.Answered)
		}
	}
}

// Among very many arms, too, they may come and go. A withdrawn arm does not lead.
func TestManyComeAndGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	c := randomArms(t, rng, 40, 3)
	ids, rows := make([]string, 30), make([][]float64, 30)
	for arm := range rows {
		ids[arm], rows[arm] = c.ID(arm), c.Arm(arm)
	}
	first := must(choice.NewCatalogue(ids, c.Features(), rows))
	r := must(newLinear(first, Settings{K: 3, Delta: 0.1}, lookSizes{few: 2, doubtful: 6, random: 2}))
	theta := []float64{2, -1, 1}
	respondent := crowd.NewMNL(c, theta, rng)
	gone := -1
	for i := range 6000 {
		switch i {
		case 50:
			if err := r.Extend(c); err != nil {
				t.Fatal(err)
			}
		case 100:
			gone = r.Verdict().Leader
			if err := r.Withdraw(gone); err != nil {
				t.Fatal(err)
			}
			if v := r.Verdict(); v.Leader == gone || slices.Contains(v.Contenders, gone) {
				t.Errorf("%d leads, or contends, after it was withdrawn", gone)
			}
		}
		q, err := r.Ask()
		if err != nil {
			if i > 100 {
				break
			}
			continue
		}
		if slices.Contains(q, gone) {
			t.Fatalf("%d is asked about, %v", gone, q)
		}
		if err := r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	best := -1
	for arm := range c.Len() {
		if arm != gone && (best < 0 || c.Utility(arm, theta) > c.Utility(best, theta)) {
			best = arm
		}
	}
	if v := r.Verdict(); v.Status != strategy.Certified || v.Leader != best {
		t.Errorf("%v, leader %d, best is %d", v.Status, v.Leader, best)
	}
}
