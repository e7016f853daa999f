package design

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// BenchmarkGreedyAgainstBruteForce picks one arm of 300 in dimension 10 by the XY
// rule, in both ways in one run, and reports how many times faster the fast way is.
func BenchmarkGreedyAgainstBruteForce(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, 300)
	for i := range rows {
		for range 10 {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	c := catalogueOf(b, rows)
	precision := NewProducts(c, 1e-4)
	greedy := NewGreedy(precision, XY, TiesRandom, rng)
	greedy.Question(nil, 30)
	v := mat.NewSymDense(10, nil)
	v.CopySym(precision.V())
	start := time.Now()
	plainBruteForce(c, v)
	brute := time.Since(start)
	b.ReportAllocs()
	for b.Loop() {
		greedy.Question(nil, 2)
	}
	b.ReportMetric(brute.Seconds()/(b.Elapsed().Seconds()/float64(2*b.N)), "brute/fast")
}

// plainBruteForce finds the arm by the definition: for every arm a it inverts
// V + aa' and computes g'(V + aa')⁻¹g for every difference g, with plain loops.
func plainBruteForce(c *choice.Catalogue, v *mat.SymDense) (best int) {
	d, n := c.Dim(), c.Len()
	least := math.Inf(1)
	g := make([]float64, d)
	for arm := range n {
		after, inverse := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
		after.SymRankOne(v, 1, mat.NewVecDense(d, c.Arm(arm)))
		var factor mat.Cholesky
		if !factor.Factorize(after) || factor.InverseTo(inverse) != nil {
			panic("V is singular")
		}
		w := inverse.RawSymmetric().Data
		most := 0.0
		for i := range n {
			for j := range i {
				for k := range g {
					g[k] = c.Arm(i)[k] - c.Arm(j)[k]
				}
				norm := 0.0
				for k := range g {
					norm += w[k*d+k] * g[k] * g[k]
					for l := k + 1; l < d; l++ {
						norm += 2 * w[k*d+l] * g[k] * g[l]
					}
				}
				most = max(most, norm)
			}
		}
		if most < least {
			best, least = arm, most
		}
	}
	return best
}

// BenchmarkGreedyPaper is one question of the paper's instance, d = 7, K = 3.
func BenchmarkGreedyPaper(b *testing.B) {
	c := soare(b, 7, 0.01)
	greedy := NewGreedy(NewProducts(c, 1e-4), XY, TiesRandom, rand.New(rand.NewPCG(1, 2)))
	q := greedy.Question(nil, 3)
	b.ReportAllocs()
	for b.Loop() {
		q = greedy.Question(q[:0], 3)
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
