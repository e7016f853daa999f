package design_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"bestpick/design"
)

// BenchmarkGreedyAgainstBruteForce picks one arm of 300 in dimension 10 by the XY
// rule, in both ways in one run, and reports how many times faster the fast way is.
func BenchmarkGreedyAgainstBruteForce(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, 300)
	active := make([]int, len(rows))
	for i := range rows {
		active[i] = i
		for range 10 {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	c := catalogueOf(b, rows)
	precision := design.NewPrecision(c, 1e-4)
	greedy := design.NewGreedy(precision, design.XY, design.TiesRandom, rng)
	greedy.Question(nil, 30)
	v := mat.NewSymDense(10, nil)
	v.CopySym(precision.V())
	start := time.Now()
	bruteForce(c, v, design.XY, active)
	brute := time.Since(start)
	b.ReportAllocs()
	for b.Loop() {
		greedy.Question(nil, 2)
	}
	b.ReportMetric(brute.Seconds()/(b.Elapsed().Seconds()/float64(2*b.N)), "brute/fast")
}

// BenchmarkGreedyPaper is one question of the paper's instance, d = 7, K = 3.
func BenchmarkGreedyPaper(b *testing.B) {
	c := soare(b, 7, 0.01)
	greedy := design.NewGreedy(design.NewPrecision(c, 1e-4), design.XY, design.TiesRandom, rand.New(rand.NewPCG(1, 2)))
	q := greedy.Question(nil, 3)
	b.ReportAllocs()
	for b.Loop() {
		q = greedy.Question(q[:0], 3)
	}
}
