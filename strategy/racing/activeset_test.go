package racing_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/strategy/strategytest"
)

// productOf is a product with a feature for every option but the first of each group, and random utilities.
func productOf(tb testing.TB, sizes ...int) strategytest.Instance {
	tb.Helper()
	rng := rand.New(rand.NewPCG(uint64(len(sizes)), 9))
	in := strategytest.Instance{Catalogue: racing.Levels(tb, sizes...)}
	for range in.Catalogue.Features() {
		in.Theta = append(in.Theta, 1.5*rng.NormFloat64())
	}
	return in
}

// veryMany has n random arms in 32 bits, some of them copies.
func veryMany(tb testing.TB, n, d int) strategytest.Instance {
	tb.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	ids, features, cells, theta := make([]string, n), make([]string, d), make([]float32, n*d), make([]float64, d)
	for k := range features {
		features[k], theta[k] = fmt.Sprint("x", k), 2*rng.NormFloat64()
	}
	for i := range ids {
		ids[i] = strconv.Itoa(i)
		for k := range d {
			cells[i*d+k] = float32(rng.NormFloat64())
		}
		if i%100 == 99 {
			copy(cells[i*d:(i+1)*d], cells[(i-1)*d:])
		}
	}
	c := must(choice.NewDense(ids, features, cells))
	return strategytest.Instance{Catalogue: c, Theta: theta}
}

// bestOf returns the largest utility.
func bestOf(c *choice.Catalogue, theta []float64) float64 {
	best := math.Inf(-1)
	for arm := range c.Len() {
		best = max(best, c.Utility(arm, theta))
	}
	return best
}

// ask runs a study until it stops, with at most the given number of answers.
func ask(tb testing.TB, r racing.Race, in strategytest.Instance, rng *rand.Rand, most int) strategy.Verdict {
	tb.Helper()
	respondent := crowd.NewMNL(in.Catalogue, in.Theta, rng)
	for range most {
		q, err := r.Ask()
		if err != nil {
			break
		}
		if slices.Max(q) >= in.Catalogue.Len() || len(slices.Compact(slices.Sorted(slices.Values(q)))) != len(q) {
			tb.Fatalf("question %v", q)
		}
		if err := r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
			tb.Fatal(err)
		}
	}
	return r.Verdict()
}

// A product is decided as its enumeration is, and as is true.
func TestProductIsDecidedLikeItsEnumeration(t *testing.T) {
	in := productOf(t, 3, 2, 4)
	ids, rows := make([]string, in.Catalogue.Len()), make([][]float64, in.Catalogue.Len())
	for arm := range rows {
		ids[arm], rows[arm] = in.Catalogue.ID(arm), in.Catalogue.Arm(arm)
	}
	listed := must(choice.NewCatalogue(ids, in.Catalogue.Features(), rows))
	for seed := range uint64(2) {
		for _, epsilon := range []float64{0, 1} {
			leaders := map[string]int{}
			for name, c := range map[string]*choice.Catalogue{"product": in.Catalogue, "list": listed} {
				r := must(racing.New(c, racing.Settings{K: 3, Seed: seed, Epsilon: epsilon}))
				v := ask(t, r, strategytest.Instance{Catalogue: c, Theta: in.Theta}, rand.New(rand.NewPCG(seed, 1)), 4000)
				if v.Status != strategy.Certified || c.Utility(v.Leader, in.Theta) < bestOf(listed, in.Theta)-epsilon-1e-9 {
					t.Errorf("seed %d, ε = %v, %s: %v after %d answers with leader %s", seed, epsilon, name, v.Status, v.Answered,
						c.ID(v.Leader))
				}
				leaders[name] = v.Leader
			}
			if epsilon == 0 && leaders["product"] != leaders["list"] {
				t.Errorf("seed %d: leaders %v", seed, leaders)
			}
		}
	}
}

// TestProductEliminatedByDefinition: when a change of the leader goes from the contenders, all θ
// of a sample under which its option is the best of the group, and better than the leader's by
// ε/G, have a capital of 1/δ.
func TestProductEliminatedByDefinition(t *testing.T) {
	const delta = 0.2
	in := productOf(t, 3, 2)
	p := in.Catalogue.Product()
	gone, tried := 0, 0
	for run := range uint64(30) {
		rng := rand.New(rand.NewPCG(run, 4))
		theta := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		epsilon := []float64{0, 0.6}[run%2]
		r := must(racing.New(in.Catalogue, racing.Settings{K: 3, Delta: delta, Epsilon: epsilon, Seed: run, LookEvery: -1}))
		respondent := crowd.NewMNL(in.Catalogue, theta, rng)
		for range 300 {
			before := r.Verdict()
			if !racing.AnswerOne(t, r, respondent, 1) {
				break
			}
			after := r.Verdict()
			for _, arm := range p.Changes(after.Leader) {
				was := before.Leader != after.Leader || slices.Contains(before.Contenders, arm)
				if !was || slices.Contains(after.Contenders, arm) {
					continue
				}
				gone++
				group := p.Difference(arm, after.Leader)
				for range 400 {
					possible := []float64{4 * rng.NormFloat64(), 4 * rng.NormFloat64(), 4 * rng.NormFloat64()}
					_, option := p.OptionAt(p.OptionNumber(arm, group))
					_, lead := p.OptionAt(p.OptionNumber(after.Leader, group))
					u := p.Utilities(possible)[group]
					if u[option] < slices.Max(u) || u[option]-u[lead] < epsilon/2 {
						continue
					}
					tried++
					if capital := capital(t, r, possible); !(capital >= math.Log(1/delta)) {
						t.Fatalf("run %d: %s is eliminated with a capital of exp %v", run, in.Catalogue.ID(arm), capital)
					}
				}
			}
		}
	}
	if gone < 30 || tried < 500 {
		t.Errorf("only %d changes were refuted, at %d θ", gone, tried)
	}
}

// Of very many arms the best is found, and all others are refuted: listed or not.
func TestVeryManyArms(t *testing.T) {
	in := veryMany(t, 4500, 3)
	r := must(racing.New(in.Catalogue, racing.Settings{K: 4, Epsilon: 0.2}))
	early := ask(t, r, in, rand.New(rand.NewPCG(1, 1)), 20)
	if early.Others == 0 || len(early.Contenders) > 2000 {
		t.Errorf("%d contenders and %d others", len(early.Contenders), early.Others)
	}
	v := ask(t, r, in, rand.New(rand.NewPCG(2, 1)), 5000)
	if v.Status != strategy.Certified || v.Others != 0 ||
		in.Catalogue.Utility(v.Leader, in.Theta) < bestOf(in.Catalogue, in.Theta)-0.2 {
		t.Errorf("%v after %d answers, %d others", v.Status, v.Answered, v.Others)
	}
	t.Logf("%d answers", v.Answered)
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
