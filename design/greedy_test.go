package design

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

func catalogueOf(t testing.TB, rows [][]float64) *choice.Catalogue {
	t.Helper()
	ids, features := make([]string, len(rows)), make([]string, len(rows[0]))
	for i := range ids {
		ids[i] = fmt.Sprint("a", i+1)
	}
	for k := range features {
		features[k] = fmt.Sprint("x", k+1)
	}
	return must(choice.NewCatalogue(ids, features, rows))
}

// soare is the paper's instance: d unit vectors and one arm close to the first.
func soare(t testing.TB, d int, omega float64) *choice.Catalogue {
	t.Helper()
	rows := make([][]float64, d+1)
	for i := range rows {
		rows[i] = make([]float64, d)
		if i < d {
			rows[i][i] = 1
		}
	}
	rows[d][0], rows[d][1] = math.Cos(omega), math.Sin(omega)
	return catalogueOf(t, rows)
}

// instances are random, rank-deficient, with duplicates, and with many exact ties.
func instances(t testing.TB, rng *rand.Rand) map[string]*choice.Catalogue {
	t.Helper()
	random := func(n, d, rank int) [][]float64 {
		basis := mat.NewDense(rank, d, nil)
		basis.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, basis)
		coefficients := mat.NewDense(n, rank, nil)
		coefficients.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, coefficients)
		var all mat.Dense
		all.Mul(coefficients, basis)
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = slices.Clone(all.RawRowView(i))
		}
		return rows
	}
	duplicated := random(6, 3, 3)
	duplicated = append(duplicated, duplicated[0], duplicated[1])
	return map[string]*choice.Catalogue{
		"random":         catalogueOf(t, random(9, 4, 4)),
		"many":           catalogueOf(t, random(40, 5, 5)),
		"rank-deficient": catalogueOf(t, random(8, 5, 2)),
		"duplicates":     catalogueOf(t, duplicated),
		"soare":          soare(t, 6, 0.01),
	}
}

// bruteForce computes, for every arm, max_g ‖g‖²_{(V+aa')⁻¹} by inverting V + aa'.
func bruteForce(c *choice.Catalogue, v *mat.SymDense, criterion Criterion, active []int) []float64 {
	values := make([]float64, c.Len())
	for arm := range values {
		after := mat.NewSymDense(c.Dim(), nil)
		after.SymRankOne(v, 1, mat.NewVecDense(c.Dim(), slices.Clone(c.Arm(arm))))
		values[arm] = uncertainty(c, after, criterion, active)
	}
	return values
}

// uncertainty computes the criterion from V by inverting it.
func uncertainty(c *choice.Catalogue, v *mat.SymDense, criterion Criterion, active []int) float64 {
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		panic("V is singular")
	}
	arms := mat.NewDense(len(active), c.Dim(), nil)
	for at, arm := range active {
		arms.SetRow(at, c.Arm(arm))
	}
	var solved, products mat.Dense
	_ = factor.SolveTo(&solved, arms.T()) // an ill-conditioned V is still solved
	products.Mul(arms, &solved)
	most := 0.0
	for i := range active {
		if criterion == G {
			most = max(most, products.At(i, i))
			continue
		}
		for j := range i {
			most = max(most, products.At(i, i)+products.At(j, j)-2*products.At(i, j))
		}
	}
	return most
}

// TestGreedyEqualsBruteForceAmongMany does the same for 300 arms, where most directions are never
// examined. With G and unit arms all directions are equally wide at the start.
func TestGreedyEqualsBruteForceAmongMany(t *testing.T) {
	for _, criterion := range []Criterion{XY, G} {
		rng := rand.New(rand.NewPCG(13, 14))
		rows, active := make([][]float64, 300), make([]int, 300)
		for i := range rows {
			active[i] = i
			for range 10 {
				rows[i] = append(rows[i], rng.NormFloat64())
			}
			if criterion == G {
				floats.Scale(1/floats.Norm(rows[i], 2), rows[i])
			}
		}
		c := catalogueOf(t, rows)
		precision := NewProducts(c, 1e-4)
		greedy := NewGreedy(precision, criterion, TiesRandom, rng)
		for range 3 {
			greedy.Question(nil, 20)
			v := mat.NewSymDense(10, nil)
			v.CopySym(precision.V())
			arm := greedy.Question(nil, 2)[0]
			values := bruteForce(c, v, criterion, active)
			if best := slices.Min(values); !(values[arm] <= best*(1+1e-8)) {
				t.Errorf("criterion %d: arm %d leaves %.12g, the best leaves %.12g", criterion, arm, values[arm], best)
			}
		}
	}
}

// TestGreedyEqualsBruteForce follows a few hundred choices: the arm shown is always
// one that brute force finds best, within the rounding of an inverse whose condition
// number is up to 1e4/μ-fold.
func TestGreedyEqualsBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range instances(t, rng) {
		for _, criterion := range []Criterion{XY, G} {
			for _, ties := range []TieRule{TiesRandom, TiesSum} {
				t.Run(fmt.Sprint(name, criterion, ties), func(t *testing.T) {
					const mu = 1e-4
					precision := NewProducts(c, mu)
					greedy := NewGreedy(precision, criterion, ties, rng)
					v := mat.NewSymDense(c.Dim(), nil)
					for k := range c.Dim() {
						v.SetSym(k, k, mu)
					}
					active := rng.Perm(c.Len())[:2+rng.IntN(c.Len()-2)]
					greedy.Activate(active)
					steps := 300
					if c.Len() > 20 {
						steps = 40
					}
					for step := range steps {
						q := greedy.Question(nil, 3)
						if err := q.Check(c.Len()); err != nil {
							t.Fatal(err)
						}
						for slot, arm := range q {
							values := bruteForce(c, v, criterion, active)
							if slot == 2 && q[0] == q[1] {
								values[q[0]] = math.Inf(1)
							}
							best := slices.Min(values)
							if !(values[arm] <= best*(1+1e-6)) {
								t.Fatalf("step %d, slot %d: arm %d leaves %.12g, the best leaves %.12g", step, slot, arm, values[arm], best)
							}
							v.SymRankOne(v, 1, mat.NewVecDense(c.Dim(), slices.Clone(c.Arm(arm))))
						}
						approx.EqualRelative(t, "uncertainty", greedy.Uncertainty(), uncertainty(c, v, criterion, active), 1e-6)
						if t.Failed() {
							return
						}
					}
				})
			}
		}
	}
}

// TestProductsDoNotDrift compares products after very many updates with an
// inverse computed anew.
func TestProductsDoNotDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	c := soare(t, 7, 0.01)
	precision := NewProducts(c, 1e-4)
	for range 20_000 {
		precision.Show(rng.IntN(c.Len()))
	}
	var inverse mat.Dense
	if err := inverse.Inverse(precision.V()); err != nil {
		t.Fatal(err)
	}
	for i := range c.Len() {
		x := mat.NewVecDense(7, slices.Clone(c.Arm(i)))
		approx.EqualRelative(t, "norm", precision.Norm(i), mat.Inner(x, &inverse, x), 1e-11)
		for j := range i {
			var g mat.VecDense
			g.SubVec(x, mat.NewVecDense(7, slices.Clone(c.Arm(j))))
			want := mat.Inner(&g, &inverse, &g)
			approx.Equal(t, "gap", precision.Gap(i, j), want, 1e-13*precision.Norm(i)+1e-9*want)
		}
	}
}

// TestTiesAreDrawnUniformly: at the start of the paper's instance with G, all unit
// vectors are alike. With 6,000 draws among 6 the share of each has standard error
// √(5/36/6000) = 0.0048; five are 0.024.
func TestTiesAreDrawnUniformly(t *testing.T) {
	const draws, d = 6000, 6
	c := soare(t, d, math.Pi/4)
	rng := rand.New(rand.NewPCG(5, 6))
	counts := make([]float64, d+1)
	for range draws {
		precision := NewProducts(c, 1)
		greedy := NewGreedy(precision, G, TiesRandom, rng)
		counts[greedy.Question(nil, 2)[0]]++
	}
	for arm := range d {
		approx.Equal(t, fmt.Sprint("share of arm ", arm), counts[arm]/draws, counts[0]/draws, 0.034)
	}
}

func TestScale(t *testing.T) {
	c := catalogueOf(t, [][]float64{{3, 4}, {1, 0}})
	scaled, by, err := Scale(c)
	if err != nil || by != 5 {
		t.Fatal(by, err)
	}
	approx.EqualSlices(t, "first arm", scaled.Arm(0), []float64{0.6, 0.8}, 1e-15)
	if same, by, err := Scale(scaled); same != scaled || by != 1 || err != nil {
		t.Error("arms within the ball were scaled again")
	}
}

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
