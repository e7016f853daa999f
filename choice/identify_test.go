package choice_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// fitNamed fits records with the given features, made by row(task, alternative),
// where pick(task) was chosen.
func fitNamed(t *testing.T, names []string, tasks, size int, row func(task, i int) []float64, pick func(task int) int) error {
	t.Helper()
	var cells []float64
	var sizes, ranks []int
	for task := range tasks {
		for i := range size {
			cells = append(cells, row(task, i)...)
		}
		rank := make([]int, size)
		rank[pick(task)] = 1
		sizes, ranks = append(sizes, size), append(ranks, rank...)
	}
	records := must(choice.NewRecords(names, cells, sizes, ranks))
	estimate, err := new(choice.Estimator).Estimate(records)
	if err == nil && slices.ContainsFunc(estimate.Theta, math.IsNaN) {
		t.Fatal("θ is NaN")
	}
	return err
}

func TestConstantFeaturesAreNamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	income := make([]float64, 100)
	for i := range income {
		income[i] = rng.Float64() * 1e5 // differs between tasks, never within one
	}
	err := fitNamed(t, []string{"price", "income", "size", "year"}, 100, 3,
		func(task, _ int) []float64 { return []float64{rng.Float64(), income[task], rng.Float64(), 2026} },
		func(int) int { return rng.IntN(3) })
	var constant *choice.ConstantError
	if !errors.As(err, &constant) || !slices.Equal(constant.Names, []string{"income", "year"}) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), `"income" and "year" never differ`) {
		t.Errorf("it says %q", err)
	}
}

func TestCollinearFeaturesAreNamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	err := fitNamed(t, []string{"price", "size", "tax", "total"}, 100, 3,
		func(int, int) []float64 {
			price, size, tax := 1000*rng.Float64(), rng.Float64(), rng.Float64()
			return []float64{price, size, tax, 2*price + 300*tax + 7}
		},
		func(int) int { return rng.IntN(3) })
	var collinear *choice.CollinearError
	if !errors.As(err, &collinear) || collinear.Name != "total" || !slices.Equal(collinear.Others, []string{"price", "tax"}) {
		t.Fatalf("got %v", err)
	}
}

// TestNearlyCollinearFeaturesAreFitted: a correlation of 1 − 5e-9 is hard but real.
func TestNearlyCollinearFeaturesAreFitted(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	if err := fitNamed(t, []string{"x", "almost"}, 500, 3,
		func(int, int) []float64 {
			x := rng.NormFloat64()
			return []float64{x, x + 1e-4*rng.NormFloat64()}
		},
		func(int) int { return rng.IntN(3) }); err != nil {
		t.Error(err)
	}
}

func TestSeparatingFeaturesAreNamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	t.Run("one alone", func(t *testing.T) {
		var prices [][]float64
		for range 60 {
			prices = append(prices, []float64{rng.Float64(), rng.Float64(), rng.Float64()})
		}
		err := fitNamed(t, []string{"size", "price"}, 60, 3,
			func(task, i int) []float64 { return []float64{rng.NormFloat64(), prices[task][i]} },
			func(task int) int { return slices.Index(prices[task], slices.Min(prices[task])) })
		var separated *choice.SeparationError
		if !errors.As(err, &separated) || !slices.Equal(separated.Names, []string{"price"}) || separated.Together {
			t.Fatalf("got %v", err)
		}
		if !strings.Contains(err.Error(), `"price" separates the picks`) {
			t.Errorf("it says %q", err)
		}
	})
	t.Run("a level never picked", func(t *testing.T) {
		err := fitNamed(t, []string{"size", "red"}, 200, 3,
			func(_, i int) []float64 {
				red := 0.0
				if i == 2 {
					red = 1
				}
				return []float64{rng.NormFloat64(), red}
			},
			func(int) int { return rng.IntN(2) })
		var separated *choice.SeparationError
		if !errors.As(err, &separated) || !slices.Equal(separated.Names, []string{"red"}) {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("two together", func(t *testing.T) {
		sums := make([]float64, 3)
		err := fitNamed(t, []string{"noise", "a", "b"}, 200, 3,
			func(_, i int) []float64 {
				a, b := rng.NormFloat64(), rng.NormFloat64()
				sums[i] = a + b
				return []float64{rng.NormFloat64(), a, b}
			},
			func(int) int { return slices.Index(sums, slices.Max(sums)) })
		var separated *choice.SeparationError
		if !errors.As(err, &separated) || !separated.Together || !slices.Contains(separated.Names, "a") ||
			!slices.Contains(separated.Names, "b") {
			t.Fatalf("got %v", err)
		}
		if !strings.Contains(err.Error(), "together separate the picks") {
			t.Errorf("it says %q", err)
		}
	})
}

// TestSeparationAgainstLinearProgramming: whether some direction separates the
// picks is a linear program. maximise Σ m_i'v subject to m_i'v ≥ 0, |v_k| ≤ 1, the
// m_i being all differences of a pick and an arm it was preferred to; its optimum
// is positive exactly when the maximum of the likelihood is not attained.
func TestSeparationAgainstLinearProgramming(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	var separatedCount, attainedCount int
	for run := range 400 {
		d, tasks := 1+rng.IntN(4), 2+rng.IntN(14)
		twin := recordsTwin(t, rng, "few", d, tasks, 1)
		if rng.IntN(3) == 0 { // coarse features make quasi-separation common
			twin = coarseTwin(t, rng, d, tasks)
		}
		_, err := new(choice.Estimator).Fit(twin.likelihood, make([]float64, d))
		var separated *choice.SeparationError
		var collinear *choice.CollinearError
		var constant *choice.ConstantError
		if errors.As(err, &collinear) || errors.As(err, &constant) {
			continue
		}
		want := separable(t, twin.plain, d)
		if got := errors.As(err, &separated); got != want || (err != nil && !got) {
			t.Errorf("run %d: separable %v, the estimator says %v", run, want, err)
		}
		if want {
			separatedCount++
		} else {
			attainedCount++
		}
	}
	if separatedCount < 50 || attainedCount < 50 {
		t.Errorf("%d separated and %d attained: the test tests little", separatedCount, attainedCount)
	}
}

// coarseTwin has features −1, 0 and 1 only.
func coarseTwin(t *testing.T, rng *rand.Rand, d, tasks int) twin {
	t.Helper()
	var plain plainPicks
	var cells []float64
	var sizes, ranks []int
	for range tasks {
		options := make([][]float64, 3)
		rank := make([]int, 3)
		for i := range options {
			for range d {
				options[i] = append(options[i], float64(rng.IntN(3)-1))
			}
			cells = append(cells, options[i]...)
		}
		pick := rng.IntN(3)
		rank[pick] = 1
		sizes, ranks = append(sizes, 3), append(ranks, rank...)
		plain = plain.withRanking(options, []int{pick}, 1)
	}
	names := make([]string, d)
	for k := range names {
		names[k] = fmt.Sprint("x", k)
	}
	records := must(choice.NewRecords(names, cells, sizes, ranks))
	return twin{likelihood: records, plain: plain}
}

// separable solves the linear program in v = a − b with a, b ≥ 0 and slacks.
func separable(t *testing.T, picks plainPicks, d int) bool {
	t.Helper()
	var margins [][]float64
	for _, one := range picks {
		for i, x := range one.options {
			if i == one.pick {
				continue
			}
			m := make([]float64, d)
			for k := range m {
				m[k] = one.options[one.pick][k] - x[k]
			}
			margins = append(margins, m)
		}
	}
	// Variables: a (d), b (d), one slack a margin, one slack a bound.
	rows, columns := len(margins)+2*d, 2*d+len(margins)+2*d
	a, b, cost := mat.NewDense(rows, columns, nil), make([]float64, rows), make([]float64, columns)
	for i, m := range margins {
		for k, x := range m {
			a.Set(i, k, x)
			a.Set(i, d+k, -x)
			cost[k] -= x
			cost[d+k] += x
		}
		a.Set(i, 2*d+i, -1)
	}
	for k := range 2 * d {
		a.Set(len(margins)+k, k, 1)
		a.Set(len(margins)+k, 2*d+len(margins)+k, 1)
		b[len(margins)+k] = 1
	}
	optimum, _, err := lp.Simplex(cost, a, b, 1e-10, nil)
	if err != nil {
		t.Fatalf("linear program: %v", err)
	}
	return optimum < -1e-7
}

// TestOneOutlierDoesNotSeparate: picks that go both ways are evidence, however far
// out another task is.
func TestOneOutlierDoesNotSeparate(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, outlier := range []float64{1e3, 1e8, 9e8, 1e12} {
		if err := fitNamed(t, []string{"x"}, 51, 2,
			func(task, i int) []float64 {
				if task == 50 {
					return []float64{outlier * float64(1-i)}
				}
				return []float64{rng.Float64()}
			},
			func(task int) int { return min(task%2, 50-task) }); err != nil {
			t.Errorf("outlier %g: %v", outlier, err)
		}
	}
}

// TestScalesDoNotMatter: the same data in other units give the same fit.
func TestScalesDoNotMatter(t *testing.T) {
	fit := func(scale float64) *choice.Estimate {
		rng := rand.New(rand.NewPCG(53, 54))
		var cells []float64
		var sizes, ranks []int
		for range 200 {
			rank := make([]int, 3)
			rank[rng.IntN(3)] = 1
			for range 3 {
				cells = append(cells, rng.NormFloat64(), scale*rng.NormFloat64())
			}
			sizes, ranks = append(sizes, 3), append(ranks, rank...)
		}
		records := must(choice.NewRecords([]string{"x", "y"}, cells, sizes, ranks))
		estimate, err := (&choice.Estimator{Tolerance: 1e-20}).Estimate(records)
		if err != nil {
			t.Fatalf("scale %g: %v", scale, err)
		}
		return estimate
	}
	want := fit(1)
	for _, scale := range []float64{1e-100, 1e-12, 1e-9, 1e9, 1e12, 1e100} {
		got := fit(scale)
		approx.EqualRelative(t, "θ", got.Theta[1]*scale, want.Theta[1], 1e-9)
		approx.EqualRelative(t, "θ", got.Theta[0], want.Theta[0], 1e-9)
		approx.EqualRelative(t, "standard error", choice.StandardErrors(got.Covariance)[1]*scale,
			choice.StandardErrors(want.Covariance)[1], 1e-9)
	}
}

// TestFreeSeparationAgainstConnectivity: the utilities of a tournament are finite
// if and only if every arm can be reached from every other along "won against"
// (Ford 1957); here by brute force, a closure of the relation.
func TestFreeSeparationAgainstConnectivity(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	var finite, infinite int
	for run := range 3000 {
		n := 3 + rng.IntN(16)
		ids, tally := make([]string, n), choice.NewTally(n)
		reach := make([][]bool, n)
		for i := range ids {
			ids[i], reach[i] = fmt.Sprint("i", i), make([]bool, n)
		}
		for range n + rng.IntN(3*n) {
			pair := rng.Perm(n)[:2]
			weight := math.Pow(10, float64(rng.IntN(5)-2))
			if err := tally.AddWeighted(choice.Answer{Question: pair, Picks: []int{0}}, weight); err != nil {
				t.Fatal(err)
			}
			reach[pair[0]][pair[1]] = true
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		exists := true
		for i := range n {
			for j := range n {
				exists = exists && (i == j || reach[i][j])
			}
		}
		free := choice.NewFree(ids, tally)
		if len(free.Groups()) > 1 {
			continue
		}
		_, err := new(choice.Estimator).Fit(free, make([]float64, n))
		_, separated := errors.AsType[*choice.SeparationError](err)
		switch {
		case exists && err != nil:
			t.Errorf("run %d: the utilities are finite, but: %v", run, err)
		case !exists && !separated:
			t.Errorf("run %d: the utilities are infinite, but: %v", run, err)
		case exists:
			finite++
		default:
			infinite++
		}
	}
	if finite < 300 || infinite < 300 {
		t.Errorf("%d finite and %d infinite: the test tests little", finite, infinite)
	}
}

func TestFeaturesOutOfScaleAreNamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for _, scale := range []float64{1e200, 1e-200, 1e-160} {
		err := fitNamed(t, []string{"fine", "wild"}, 100, 3,
			func(int, int) []float64 { return []float64{rng.NormFloat64(), scale * rng.NormFloat64()} },
			func(int) int { return rng.IntN(3) })
		var wild *choice.ScaleError
		if !errors.As(err, &wild) || wild.Name != "wild" {
			t.Errorf("scale %g: %v", scale, err)
		}
	}
}

func TestFreeGroups(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e"}
	tally := choice.NewTally(5)
	vote := func(winner, loser int) {
		if err := tally.Add(choice.Answer{Question: choice.Question{winner, loser}, Picks: []int{0}}); err != nil {
			t.Fatal(err)
		}
	}
	vote(0, 1)
	vote(1, 0)
	vote(1, 2)
	vote(2, 1)
	vote(3, 4)
	vote(4, 3)
	free := choice.NewFree(ids, tally)
	if got := fmt.Sprint(free.Groups()); got != "[[0 1 2] [3 4]]" {
		t.Errorf("groups %s", got)
	}
	if _, err := new(choice.Estimator).Fit(free, make([]float64, 5)); err == nil {
		t.Error("two groups were fitted as one")
	}
}
