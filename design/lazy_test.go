package design

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// normalArms returns n arms with independent normal features, some of which are copies.
func normalArms(rng *rand.Rand, n, d, copies int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		for range d {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	for range copies {
		rows[rng.IntN(n)] = rows[rng.IntN(n)]
	}
	return rows
}

// TestLazyEqualsExhaustive: with the norms alone the rules ask the very questions that they
// ask with all products, ties and their random numbers included, on small catalogues of
// all shapes; for XY there must be few active arms, so that the distances from all of them
// are known.
func TestLazyEqualsExhaustive(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for instance := range 400 {
		n, d := 2+rng.IntN(60), 1+rng.IntN(8)
		criterion := Criterion(instance % 2)
		c := catalogueOf(t, normalArms(rng, n, d, rng.IntN(2)*rng.IntN(n)))
		mu := []float64{1e-4, 1e-2, 1}[rng.IntN(3)]
		ties := TieRule(rng.IntN(2))
		seed := rng.Uint64()
		rules := make([]Greedy, 2)
		precisions := []Precision{NewProducts(c, mu), newRootPrecision(c, mu)}
		for i, precision := range precisions {
			rules[i] = NewGreedy(precision, criterion, ties, rand.New(rand.NewPCG(seed, 1)))
		}
		for batch := range 3 {
			active := rng.Perm(n)[:2+rng.IntN(n-1)]
			if criterion == XY {
				active = active[:min(len(active), 6)]
			}
			for _, rule := range rules {
				rule.Activate(active)
			}
			for range 10 {
				k := 2 + rng.IntN(3)
				want, got := rules[0].Question(nil, k), rules[1].Question(nil, k)
				if !slices.Equal(got, want) {
					t.Fatalf("instance %d, n = %d, d = %d, μ = %g, active %v, batch %d: asked %v, with all products %v", instance, n, d, mu,
						active, batch, got, want)
				}
				approx.EqualRelative(t, "uncertainty", rules[1].Uncertainty(), rules[0].Uncertainty(), 1e-9)
			}
			i, j := rng.IntN(n), rng.IntN(n)
			approx.EqualRelative(t, "norm", precisions[1].Norm(i), precisions[0].Norm(i), 1e-9)
			approx.Equal(t, "gap", precisions[1].Gap(i, j), precisions[0].Gap(i, j), 1e-9*(precisions[0].Norm(i)+precisions[0].Norm(j)))
			if slices.Equal(c.Arm(i), c.Arm(j)) != (precisions[1].Gap(i, j) == 0) {
				t.Errorf("the gap of arms %d and %d is %g", i, j, precisions[1].Gap(i, j))
			}
			for _, precision := range precisions {
				precision.Reset(mu)
			}
		}
	}
}

// TestLazyEqualsBruteForce is TestGreedyEqualsBruteForce for the G rule with norms alone:
// ties, copies and arms without full rank included.
func TestLazyEqualsBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for name, c := range instances(t, rng) {
		for _, ties := range []TieRule{TiesRandom, TiesSum} {
			t.Run(fmt.Sprint(name, ties), func(t *testing.T) {
				precision := newRootPrecision(c, 1e-4)
				greedy := NewGreedy(precision, G, ties, rng)
				active := rng.Perm(c.Len())[:2+rng.IntN(c.Len()-2)]
				greedy.Activate(active)
				v := mat.NewSymDense(c.Dim(), nil)
				for step := range 60 {
					v.CopySym(precision.V())
					arm := greedy.Question(nil, 2)[0]
					values := bruteForce(c, v, G, active)
					if best := slices.Min(values); !(values[arm] <= best*(1+1e-6)) {
						t.Fatalf("step %d: arm %d leaves %.12g, the best leaves %.12g", step, arm, values[arm], best)
					}
				}
			})
		}
	}
}

// TestLazyEqualsBruteForceAmongMany is about more arms than all products are kept of, from
// the very start, where V has no full rank and nearly all directions matter, and later. On
// the sphere, where all norms are the same at the start, a few random arms are shown first.
func TestLazyEqualsBruteForceAmongMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for name, rows := range map[string][][]float64{
		"normal": normalArms(rng, 2100, 4, 300), "clustered": clusteredArms(rng, 2100, 4), "sphere": sphereArms(rng, 2100, 4),
	} {
		c := catalogueOf(t, rows)
		precision := NewPrecision(c, 1e-4)
		if _, ok := precision.(*rootPrecision); !ok {
			t.Fatalf("%T for %d arms", precision, c.Len())
		}
		for range 10 {
			if name == "sphere" {
				precision.Show(rng.IntN(c.Len()))
			}
		}
		greedy := NewGreedy(precision, G, TiesRandom, rng)
		active := rng.Perm(c.Len())[:1800]
		greedy.Activate(active)
		for step := range 4 {
			v := mat.NewSymDense(c.Dim(), nil)
			v.CopySym(precision.V())
			arm := greedy.Question(nil, 2)[0]
			left := leftByArms(c, v, active)
			if best := slices.Min(left); !(left[arm] <= best*(1+2e-9)) {
				t.Errorf("%s, step %d: arm %d leaves %.12g, the best leaves %.12g", name, step, arm, left[arm], best)
			}
			greedy.Question(nil, 2+rng.IntN(20))
		}
	}
}

// leftByArms computes the largest norm of an active arm after showing each arm.
func leftByArms(c *choice.Catalogue, v *mat.SymDense, active []int) []float64 {
	products := newWidePairs(c, v, nil).products
	left := make([]float64, c.Len())
	for arm := range left {
		row := products.RawRowView(arm)
		for _, g := range active {
			left[arm] = max(left[arm], products.At(g, g)-row[g]*row[g]/(1+row[arm]))
		}
	}
	return left
}

// TestNormsDoNotDrift compares norms after very many updates with an inverse computed anew.
func TestNormsDoNotDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	c := catalogueOf(t, normalArms(rng, 500, 6, 20))
	precision := newRootPrecision(c, 1e-4)
	for _, showings := range []int{1, 5, 100, 155, 5000} {
		for range showings {
			precision.Show(rng.IntN(c.Len()))
		}
		products := newWidePairs(c, precision.V(), nil).products
		for range 200 {
			i, j := rng.IntN(c.Len()), rng.IntN(c.Len())
			approx.EqualRelative(t, "norm", precision.Norm(i), products.At(i, i), 1e-9)
			want := products.At(i, i) + products.At(j, j) - 2*products.At(i, j)
			approx.Equal(t, "gap", precision.Gap(i, j), want, 1e-9*(products.At(i, i)+products.At(j, j)))
		}
	}
}

// clusteredArms returns n arms around a few centres.
func clusteredArms(rng *rand.Rand, n, d int) [][]float64 {
	centres := normalArms(rng, 12, d, 0)
	rows := normalArms(rng, n, d, 0)
	for i, row := range rows {
		for k := range row {
			row[k] = centres[i%len(centres)][k] + 0.1*row[k]
		}
	}
	return rows
}

// sphereArms returns n arms of norm one.
func sphereArms(rng *rand.Rand, n, d int) [][]float64 {
	rows := normalArms(rng, n, d, 0)
	for _, row := range rows {
		norm := mat.Norm(mat.NewVecDense(d, row), 2)
		for k := range row {
			row[k] /= norm
		}
	}
	return rows
}

// TestLazyXYIsNearlyExact compares what the XY rule with norms alone leaves with the least
// that any arm could leave, and its uncertainty with the largest. The factors are at most 3
// by proof, and near 1 in fact.
func TestLazyXYIsNearlyExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	var left, wide []float64
	for _, size := range [][2]int{{300, 2}, {1000, 5}, {300, 12}, {300, 20}} {
		n, d := size[0], size[1]
		for _, rows := range [][][]float64{normalArms(rng, n, d, n/10), clusteredArms(rng, n, d), sphereArms(rng, n, d)} {
			c := catalogueOf(t, rows)
			active := rng.Perm(n)[:n-rng.IntN(n/2)]
			precision := newRootPrecision(c, 1e-4)
			greedy := NewGreedy(precision, XY, TieRule(rng.IntN(2)), rng)
			greedy.Activate(active)
			for range 3 {
				greedy.Question(nil, 2+rng.IntN(20))
				uncertainty := greedy.Uncertainty()
				pairs := newWidePairs(c, precision.V(), active)
				arm := greedy.Question(nil, 2)[0]
				least := pairs.left(0)
				for a := range n {
					least = min(least, pairs.left(a))
				}
				left = append(left, pairs.left(arm)/least)
				wide = append(wide, pairs.widths[0].width/uncertainty)
			}
		}
	}
	for what, factors := range map[string][]float64{"left": left, "uncertainty": wide} {
		mean, worst := floats.Sum(factors)/float64(len(factors)), slices.Max(factors)
		t.Logf("%s: factor %.6f at worst, %.6f on average of %d", what, worst, mean, len(factors))
		if !(worst <= 3) || !(mean <= 1.03) || !(slices.Min(factors) >= 1-1e-9) {
			t.Errorf("%s: factors from %g to %g, %g on average", what, slices.Min(factors), worst, mean)
		}
	}
}

// widePairs are all pairs of active arms by width, with the products of all arms.
type widePairs struct {
	products *mat.Dense
	widths   []widePair
}

type widePair struct {
	width float64
	i, j  int
}

func newWidePairs(c *choice.Catalogue, v *mat.SymDense, active []int) *widePairs {
	arms := mat.NewDense(c.Len(), c.Dim(), nil)
	for i := range c.Len() {
		arms.SetRow(i, c.Arm(i))
	}
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		panic("V is singular")
	}
	var solved, products mat.Dense
	_ = factor.SolveTo(&solved, arms.T()) // an ill-conditioned V is still solved
	products.Mul(arms, &solved)
	w := &widePairs{products: &products}
	for at, i := range active {
		for _, j := range active[:at] {
			w.widths = append(w.widths, widePair{products.At(i, i) + products.At(j, j) - 2*products.At(i, j), i, j})
		}
	}
	slices.SortFunc(w.widths, func(a, b widePair) int { return cmp.Compare(b.width, a.width) })
	return w
}

// left returns the largest width after showing an arm.
func (w *widePairs) left(arm int) float64 {
	row := w.products.RawRowView(arm)
	most := 0.0
	for _, pair := range w.widths {
		if pair.width <= most {
			break
		}
		gap := row[pair.i] - row[pair.j]
		most = max(most, pair.width-gap*gap/(1+row[arm]))
	}
	return most
}
