package design

import (
	"math/rand/v2"
	"slices"
	"testing"
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
