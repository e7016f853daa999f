package choice_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// sampledLinear returns the likelihood of picks sampled at theta.
func sampledLinear(
	t testing.TB, rng *rand.Rand, n, k, answers int, theta []float64,
) (*choice.Linear, *choice.Tally, *choice.Catalogue) {
	t.Helper()
	c := randomCatalogue(t, rng, n, len(theta))
	tally := choice.NewTally(n)
	for range answers {
		addSampled(t, rng, tally, c, choice.Question(rng.Perm(n)[:k]), theta)
	}
	return choice.NewLinear(c, tally), tally, c
}

// TestEstimateFindsTheta: every error is within five of its standard errors, a
// chance of 6e-7 each to fail if both are right.
func TestEstimateFindsTheta(t *testing.T) {
	theta := []float64{1, -0.5, 0.25, 0}
	l, _, _ := sampledLinear(t, rand.New(rand.NewPCG(19, 20)), 12, 4, 5000, theta)
	estimate := must(new(choice.Estimator).Estimate(l))
	for k, se := range choice.StandardErrors(estimate.Covariance) {
		approx.Equal(t, "θ", estimate.Theta[k], theta[k], 5*se)
		if !(se > 0 && se < 0.2) {
			t.Errorf("standard error %v", se)
		}
	}
	if !(estimate.GradientNorm < 1e-4) || !(estimate.LogLikelihood > estimate.NullLogLikelihood) {
		t.Errorf("gradient norm %v, log-likelihood %v, equal shares %v", estimate.GradientNorm, estimate.LogLikelihood,
			estimate.NullLogLikelihood)
	}
}

// TestFitReachesTheMaximum: from anywhere, with or without a ridge, the gradient at
// the end is as small as the tolerance says: ∇f'H⁻¹∇f ≤ 2·1e-12, and the bound
// reported is one.
func TestFitReachesTheMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 20 {
		d := 1 + rng.IntN(6)
		l, _, _ := sampledLinear(t, rng, 10, 2+rng.IntN(4), 400, randomVector(rng, d, 1))
		for _, ridge := range []float64{0, 1e-3, 10} {
			for _, scale := range []float64{0, 1, 30, 1e3, 1e6} {
				start := randomVector(rng, d, scale)
				estimator := choice.Estimator{RidgeOnSum: ridge}
				fit, err := estimator.Fit(l, start)
				if err != nil {
					t.Fatalf("from scale %g with ridge %g: %v", scale, ridge, err)
				}
				decrement := decrement(t, l, ridge, start)
				if !(decrement <= 1e-12+1e-20) || !(decrement <= fit.Decrement+1e-20) || fit.Decrement > 1e-12 {
					t.Errorf("decrement %g, reported %g", decrement, fit.Decrement)
				}
			}
		}
	}
}

// decrement returns ½·∇f'H⁻¹∇f.
func decrement(t *testing.T, l choice.Likelihood, ridge float64, theta []float64) float64 {
	t.Helper()
	d := len(theta)
	gradient, information := make([]float64, d), mat.NewSymDense(d, nil)
	l.Derivatives(theta, gradient, information)
	for k := range d {
		gradient[k] -= 2 * ridge * theta[k]
		information.SetSym(k, k, information.At(k, k)+2*ridge)
	}
	var factor mat.Cholesky
	var step mat.VecDense
	if !factor.Factorize(information) || factor.SolveVecTo(&step, mat.NewVecDense(d, gradient)) != nil {
		t.Fatal("the information at the maximum is singular")
	}
	return mat.Dot(&step, mat.NewVecDense(d, gradient)) / 2
}

func TestRidgeOnMeanIsRidgeOnSumTimesPicks(t *testing.T) {
	l, tally, _ := sampledLinear(t, rand.New(rand.NewPCG(23, 24)), 8, 3, 300, []float64{1, 2, -1})
	mean := choice.Estimator{RidgeOnMean: 0.01, Tolerance: 1e-20}
	sum := choice.Estimator{RidgeOnSum: 0.01 * tally.Picks(), Tolerance: 1e-20}
	a := mustEstimate(t, mean, l)
	b := mustEstimate(t, sum, l)
	approx.EqualSlices(t, "θ", a.Theta, b.Theta, 1e-12)
	plain := must(new(choice.Estimator).Estimate(l))
	norm := func(v []float64) float64 { return mat.Norm(mat.NewVecDense(len(v), v), 2) }
	if !(norm(a.Theta) < norm(plain.Theta)) || !(a.LogLikelihood < plain.LogLikelihood) {
		t.Errorf("the ridge did not shrink: %v against %v", a.Theta, plain.Theta)
	}
}

// TestPermutingArms: the same answers about arms in another order, and with the
// features in another order, give the same estimate.
func TestPermutingArms(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	l, tally, c := sampledLinear(t, rng, 7, 3, 500, []float64{1, -1, 0.5})
	arms, columns := rng.Perm(7), []int{2, 0, 1}
	ids, features, rows := make([]string, 7), make([]string, 3), make([][]float64, 7)
	for i, to := range arms {
		ids[to], rows[to] = c.ID(i), make([]float64, 3)
		for k, at := range columns {
			features[at] = c.Features()[k]
			rows[to][at] = c.Arm(i)[k]
		}
	}
	permuted := must(choice.NewCatalogue(ids, features, rows))
	other := choice.NewTally(7)
	for q, wins := range tally.Questions() {
		turned := make(choice.Question, len(q))
		for i, arm := range q {
			turned[i] = arms[arm]
		}
		for slot, weight := range wins {
			if weight > 0 {
				if err := other.AddWeighted(choice.Answer{Question: turned, Picks: []int{slot}}, weight); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	estimator := choice.Estimator{Tolerance: 1e-20}
	a := mustEstimate(t, estimator, l)
	b := mustEstimate(t, estimator, choice.NewLinear(permuted, other))
	approx.EqualRelative(t, "log-likelihood", b.LogLikelihood, a.LogLikelihood, 1e-13)
	for k, at := range columns {
		approx.Equal(t, a.Names[k], b.Theta[at], a.Theta[k], 1e-10)
		approx.Equal(t, a.Names[k], b.Covariance.At(at, at), a.Covariance.At(k, k), 1e-10)
	}
}

// TestWarmRefitAllocatesNothing is the inner loop of a strategy.
func TestWarmRefitAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	theta := randomVector(rng, 7, 1)
	l, tally, c := sampledLinear(t, rng, 8, 3, 5000, theta)
	estimator := choice.Estimator{RidgeOnMean: 1e-4}
	warm := make([]float64, 7)
	if _, err := estimator.Fit(l, warm); err != nil {
		t.Fatal(err)
	}
	answer := choice.Answer{
		Question: choice.Question{1, 2, 3},
		Picks:    []int{choice.SamplePick(rng, c.Utilities(nil, choice.Question{1, 2, 3}, theta))},
	}
	if allocated := testing.AllocsPerRun(100, func() {
		if err := tally.Add(answer); err != nil {
			t.Fatal(err)
		}
		if _, err := estimator.Fit(l, warm); err != nil {
			t.Fatal(err)
		}
	}); allocated != 0 {
		t.Errorf("%v allocations a re-estimate", allocated)
	}
	cold := make([]float64, 7)
	if _, err := estimator.Fit(l, cold); err != nil {
		t.Fatal(err)
	}
	approx.EqualSlices(t, "warm against cold", warm, cold, 1e-6)
}

func TestFitWithoutPicks(t *testing.T) {
	c := randomCatalogue(t, rand.New(rand.NewPCG(29, 30)), 4, 2)
	empty := choice.NewLinear(c, choice.NewTally(4))
	theta := []float64{1, 1}
	if _, err := new(choice.Estimator).Fit(empty, theta); !errors.Is(err, choice.ErrNoPicks) {
		t.Errorf("without a ridge: %v", err)
	}
	if _, err := (&choice.Estimator{RidgeOnSum: 1}).Fit(empty, theta); err != nil {
		t.Errorf("with a ridge: %v", err)
	}
	approx.EqualSlices(t, "θ", theta, []float64{0, 0}, 1e-15)
}

// TestFitIsDoneAfterMaxIterations: too few steps are said, with finite numbers.
func TestFitIsDoneAfterMaxIterations(t *testing.T) {
	l, _, _ := sampledLinear(t, rand.New(rand.NewPCG(31, 32)), 8, 3, 300, []float64{1, 2, -1})
	theta := make([]float64, 3)
	fit, err := (&choice.Estimator{MaxIterations: 1}).Fit(l, theta)
	var short *choice.ConvergenceError
	if !errors.As(err, &short) || fit.Iterations != 1 {
		t.Errorf("%v after %d steps", err, fit.Iterations)
	}
	for _, x := range theta {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Errorf("θ = %v", theta)
		}
	}
}

// TestScoresAddUpToTheGradient: of every likelihood, and however the picks are
// divided into clusters.
func TestScoresAddUpToTheGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	records, ok := recordsTwin(t, rng, "rankings", 3, 80, 3).likelihood.(*choice.Records)
	if !ok {
		t.Fatal("no records")
	}
	theta := randomVector(rng, 3, 1)
	want, information := make([]float64, 3), mat.NewSymDense(3, nil)
	records.Derivatives(theta, want, information)
	clusters := make([]int, records.Tasks())
	for i := range clusters {
		clusters[i] = rng.IntN(7)
	}
	for name, by := range map[string][]int{"each task": nil, "seven people": clusters} {
		sum, count := make([]float64, 3), 0
		for score := range records.Scores(theta, by) {
			count++
			for k := range sum {
				sum[k] += score[k]
			}
		}
		approx.EqualSlices(t, name, sum, want, 1e-11)
		if by == nil && count != records.Tasks() || by != nil && count != 7 {
			t.Errorf("%s: %d clusters", name, count)
		}
	}

	c := randomCatalogue(t, rng, 6, 3)
	whole, parts := choice.NewTally(6), make([]*choice.Tally, 4)
	for i := range parts {
		parts[i] = choice.NewTally(6)
	}
	for i := range 60 {
		answer := randomAnswer(rng, 6)
		if whole.Add(answer) != nil || parts[i%4].Add(answer) != nil {
			t.Fatal("refused")
		}
	}
	linear := choice.NewLinear(c, whole)
	linear.Derivatives(theta, want, information)
	sum := make([]float64, 3)
	for score := range linear.Scores(theta, func(yield func(*choice.Tally) bool) {
		for _, part := range parts {
			if !yield(part) {
				return
			}
		}
	}) {
		for k := range sum {
			sum[k] += score[k]
		}
	}
	approx.EqualSlices(t, "linear", sum, want, 1e-11)
}

// TestRobustCovarianceOfCopies: data in which everyone's answers stand four times,
// clustered by person, has the sandwich of the data without copies: each cluster's
// score is four times as large, the information too.
func TestRobustCovarianceOfCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	const tasks, d = 150, 2
	var once, copied []float64
	var sizesOnce, sizesCopied, ranksOnce, ranksCopied, who []int
	for task := range tasks {
		cells := randomVector(rng, 3*d, 1)
		ranks := make([]int, 3)
		ranks[rng.IntN(3)] = 1
		once, sizesOnce, ranksOnce = append(once, cells...), append(sizesOnce, 3), append(ranksOnce, ranks...)
		for range 4 {
			copied, sizesCopied, ranksCopied = append(copied, cells...), append(sizesCopied, 3), append(ranksCopied, ranks...)
			who = append(who, task)
		}
	}
	names := []string{"x", "y"}
	a := must(choice.NewRecords(names, once, sizesOnce, ranksOnce))
	b := must(choice.NewRecords(names, copied, sizesCopied, ranksCopied))
	estimator := choice.Estimator{Tolerance: 1e-20}
	plain := mustEstimate(t, estimator, a)
	fourfold := mustEstimate(t, estimator, b)
	robustPlain := plain.RobustCovariance(a.Scores(plain.Theta, nil))
	robustFourfold := fourfold.RobustCovariance(b.Scores(fourfold.Theta, who))
	for k := range d {
		approx.EqualRelative(t, "robust variance", robustFourfold.At(k, k), robustPlain.At(k, k), 1e-9)
		approx.EqualRelative(t, "plain variance", 4*fourfold.Covariance.At(k, k), plain.Covariance.At(k, k), 1e-9)
	}
}

// TestFreeCovarianceOfTwoItems: with two items and n votes of which w went to the
// first, the log-odds have variance n/(w·(n−w)); utilities that sum to zero are
// half the log-odds each, with a quarter of the variance.
func TestFreeCovarianceOfTwoItems(t *testing.T) {
	tally := choice.NewTally(2)
	const w, n = 30., 100.
	for slot, weight := range []float64{w, n - w} {
		if err := tally.AddWeighted(choice.Answer{Question: choice.Question{0, 1}, Picks: []int{slot}}, weight); err != nil {
			t.Fatal(err)
		}
	}
	estimate := must(new(choice.Estimator).Estimate(choice.NewFree([]string{"a", "b"}, tally)))
	variance := n / (w * (n - w)) / 4
	approx.EqualRelative(t, "variance", estimate.Covariance.At(0, 0), variance, 1e-6)
	approx.EqualRelative(t, "covariance", estimate.Covariance.At(0, 1), -variance, 1e-6)
	approx.Equal(t, "sum", estimate.Theta[0]+estimate.Theta[1], 0, 1e-14)
}

func TestRecordsRefusals(t *testing.T) {
	inf := []float64{1, 2, 3, 1e308, -1e308, 0}
	_, err := choice.NewRecords([]string{"x"}, inf, []int{3, 3}, []int{1, 0, 0, 1, 0, 0})
	refused, ok := errors.AsType[*choice.TaskError](err)
	if !ok || refused.Task != 1 || refused.Row != 4 || refused.Problem != choice.NotFinite {
		t.Errorf("got %v", err)
	}
	for name, misuse := range map[string]func(){
		"no features":      func() { _, _ = choice.NewRecords(nil, nil, []int{2}, []int{1, 0}) },
		"cells":            func() { _, _ = choice.NewRecords([]string{"x"}, []float64{1}, []int{2}, []int{1, 0}) },
		"sizes":            func() { _, _ = choice.NewRecords([]string{"x"}, []float64{1, 2, 3}, []int{2}, []int{1, 0, 0}) },
		"clusters":         func() { _ = mustRecords().Scores([]float64{0}, []int{1, 2}) },
		"small tally":      func() { choice.NewTally(1) },
		"other catalogue":  func() { choice.NewFree([]string{"a"}, choice.NewTally(2)) },
		"ranking too deep": func() { choice.SampleRanking(rand.New(rand.NewPCG(1, 1)), []float64{1}, 2) },
		"empty softmax":    func() { choice.Probabilities(nil, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

func mustRecords() *choice.Records {
	r, err := choice.NewRecords([]string{"x"}, []float64{1, 2}, []int{2}, []int{1, 0})
	if err != nil {
		panic(err)
	}
	return r
}
