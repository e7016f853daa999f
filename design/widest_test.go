package design

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/approx"
)

// TestWidestAgainstAll: among all questions of few arms none is much wider than the one
// found, and mostly none at all; it shows different arms, none of weight zero.
func TestWidestAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	best := 0
	const trials = 200
	for range trials {
		n, k := 8, 2+rng.IntN(3)
		w := Widest{Values: make([]float64, n), Weights: make([]float64, n)}
		for i := range n {
			w.Values[i], w.Weights[i] = rng.NormFloat64(), rng.ExpFloat64()
		}
		w.Weights[rng.IntN(n)] = 0
		q := w.Question(nil, k)
		if len(slices.Compact(slices.Clone(q))) != k || !slices.IsSorted(q) {
			t.Fatalf("question %v of %d", q, k)
		}
		for _, arm := range q {
			if w.Weights[arm] == 0 {
				t.Fatalf("arm %d of no weight is shown", arm)
			}
		}
		widest := 0.0
		for set := range 1 << n {
			var all []int
			for arm := range n {
				if set>>arm&1 == 1 && w.Weights[arm] > 0 {
					all = append(all, arm)
				}
			}
			if len(all) == k {
				widest = max(widest, w.Variance(all))
			}
		}
		found := w.Variance(q)
		if !(found >= 0.9*widest) {
			t.Errorf("K = %d: variance %v, the best has %v", k, found, widest)
		}
		if found >= widest*(1-1e-9) {
			best++
		}
	}
	if best < trials*9/10 {
		t.Errorf("the widest question was found in %d of %d trials", best, trials)
	}
}

// TestWidestRankings: among all questions of few arms none tells much more in a ranking than
// the one found; and on average over all orders of the picks it tells more than half of what
// it does in the order of their weights.
func TestWidestRankings(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 100 {
		const n, k = 8, 4
		w := Widest{Values: make([]float64, n), Weights: make([]float64, n), Picks: 3}
		for i := range n {
			w.Values[i], w.Weights[i] = rng.NormFloat64(), math.Exp(rng.NormFloat64())
		}
		most := 0.0
		for set := range 1 << n {
			if bits.OnesCount(uint(set)) != k {
				continue
			}
			var all []int
			for arm := range n {
				if set>>arm&1 == 1 {
					all = append(all, arm)
				}
			}
			most = max(most, w.Information(all))
		}
		q := w.Question(nil, k)
		if found := w.Information(q); !(found >= 0.9*most) {
			t.Errorf("information %v, the best question has %v", found, most)
		}
		if guess, average := w.Information(q), averageInformation(w, q, w.Picks); !(average > guess/2) {
			t.Errorf("information %v in the order of the weights, %v on average", guess, average)
		}
	}
}

// averageInformation is Σ_picks E[Var], over all orders.
func averageInformation(w Widest, left []int, picks int) float64 {
	if picks == 0 || len(left) < 2 {
		return 0
	}
	sum, total := w.Variance(left), 0.0
	for _, arm := range left {
		total += w.Weights[arm]
	}
	for at, arm := range left {
		rest := slices.Delete(slices.Clone(left), at, at+1)
		sum += w.Weights[arm] / total * averageInformation(w, rest, picks-1)
	}
	return sum
}

// TestWidestEnds: copies of arms do not alternate without end.
func TestWidestEnds(t *testing.T) {
	w := Widest{
		Values:  []float64{0.8679218995257654, 0.8856401875204203, 0.8679218995257654, 0.8856401875204203},
		Weights: []float64{1, 1, 1, 1},
	}
	if q := w.Question(nil, 3); len(q) != 3 {
		t.Error(q)
	}
	w = Widest{Values: []float64{1e8, 1e8, 1e8, 1e8}, Weights: []float64{1, 1e-9, 3, 1}, Picks: 2}
	if q := w.Question(nil, 3); len(q) != 3 {
		t.Error(q)
	}
}

// TestPicked: the picks of a ranking are made from ever fewer arms, the likeliest gone first.
func TestPicked(t *testing.T) {
	w := Widest{Weights: []float64{0.1, 3, 1, 2}}
	q := []int{0, 1, 2, 3}
	for picks, want := range [][][]int{
		{{0, 1, 2, 3}},
		{{0, 1, 2, 3}},
		{{1, 3, 2, 0}, {3, 2, 0}},
		{{1, 3, 2, 0}, {3, 2, 0}, {2, 0}},
		{{1, 3, 2, 0}, {3, 2, 0}, {2, 0}},
	} {
		w.Picks = picks
		var got [][]int
		for left := range w.Picked(q) {
			got = append(got, slices.Clone(left))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d picks: %s", picks, diff)
		}
	}
}

// TestWidestOfAll: a question may show more arms than are on the shortlist.
func TestWidestOfAll(t *testing.T) {
	w := Widest{Values: make([]float64, 60), Weights: make([]float64, 60)}
	for i := range w.Values {
		w.Values[i], w.Weights[i] = float64(i), 1
	}
	if q := w.Question(nil, 60); len(q) != 60 || q[59] != 59 {
		t.Errorf("shown are %v", q)
	}
}

// TestWidestOfMany: the shortlist of many arms hardly costs anything.
func TestWidestOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		n := 300
		w := Widest{Values: make([]float64, n), Weights: make([]float64, n)}
		for i := range n {
			w.Values[i], w.Weights[i] = rng.NormFloat64(), rng.ExpFloat64()
		}
		short := w.Variance(w.Question(nil, 3))
		all := 0.0
		for i := range n {
			for j := range i {
				all = max(all, w.Variance([]int{i, j}))
			}
		}
		if !(short >= 0.9*all) {
			t.Errorf("variance %v, the best pair alone has %v", short, all)
		}
	}
}

// TestWidestNear: from any two arms, the question found has different arms, and on average at least
// 95% of the variance of the one that Question finds.
func TestWidestNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	share := 0.0
	const trials = 200
	for range trials {
		n, k := 60, 2+rng.IntN(4)
		w := Widest{Values: make([]float64, n), Weights: make([]float64, n)}
		for i := range n {
			w.Values[i], w.Weights[i] = rng.NormFloat64(), rng.ExpFloat64()
		}
		q := w.Near([]int{rng.IntN(30), 30 + rng.IntN(30)}, k)
		if len(slices.Compact(slices.Clone(q))) != k || !slices.IsSorted(q) {
			t.Fatalf("question %v of %d", q, k)
		}
		share += w.Variance(q) / w.Variance(w.Question(nil, k)) / trials
	}
	if !(share >= 0.95) {
		t.Errorf("%.3f of the variance", share)
	}
}

// TestWidestWithAnOutsideAlternative: an alternative beside the arms counts like an arm that every
// question shows, and among all questions of few arms none is much wider than the one found.
func TestWidestWithAnOutsideAlternative(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 100 {
		const n, k = 8, 3
		w := Widest{
			Values: make([]float64, n), Weights: make([]float64, n), OutsideValue: rng.NormFloat64(),
			OutsideWeight: rng.ExpFloat64(),
		}
		for i := range n {
			w.Values[i], w.Weights[i] = rng.NormFloat64(), rng.ExpFloat64()
		}
		plain := Widest{Values: append(w.Values[:n:n], w.OutsideValue), Weights: append(w.Weights[:n:n], w.OutsideWeight)}
		widest := 0.0
		for a := range n {
			for b := range a {
				for c := range b {
					variance := w.Variance([]int{a, b, c})
					approx.Equal(t, "variance", variance, plain.Variance([]int{a, b, c, n}), 1e-12)
					widest = max(widest, variance)
				}
			}
		}
		if found := w.Variance(w.Question(nil, k)); !(found >= 0.9*widest) {
			t.Errorf("variance %v, the best has %v", found, widest)
		}
	}
}
